import { formatCount } from '#derive/words.ts'
import { Refusal } from '#registry/refusals.ts'
import { liftTransactionTimeout } from '#sql/system/connection.ts'
import {
  type DemoAccountRow,
  type DemoCompanyRow,
  demoAccounts,
  demoCompanies,
  demoWasRemoved,
  lockDemo,
} from '#sql/system/demo.ts'
import { holdKeys } from '#sql/system/seal.ts'
import type { App } from '../app.ts'
import { operator } from '../records/actor.ts'
import { presentToken, showToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import { closeDemo, openDemo, passwordOf, replacePublished } from './accounts.ts'
import { createHarbor } from './harbor/company.ts'
import { createHilltop } from './hilltop.ts'

/** The demo companies with their sign-ins. */
export type DemoStory = {
  /** True if this call created it. */
  isNew: boolean
  companies: DemoCompany[]
  /** Sentences about changes of its accounts, and about possible ones. */
  notes: string[]
}

export type DemoCompany = {
  id: number
  name: string
  /** The demo accounts that nobody has taken over, the owner first. */
  accounts: DemoAccount[]
  /** Null if no demo account has one, or if another key sealed it. */
  token: string | null
}

export type DemoAccount = {
  id: number
  name: string
  email: string
  /** Null if the account is disabled, or if another key sealed it. */
  password: string | null
}

/** Adds, opens or closes the demo at a start, as the settings require. */
export async function startDemo(app: App): Promise<DemoStory> {
  const { demo } = app.config
  if (demo === 'on') return seedDemo(app)
  const replaced = notesOfReplaced(await replacePublished(app))
  if (demo === 'off') {
    return { isNew: false, companies: [], notes: [...replaced, ...notesOfClosed(await closeDemo(app))] }
  }
  const story = await storyOf(app, demo === 'new' && !(await wasRemoved(app)))
  return { ...story, notes: [...replaced, ...howToOpen(story)] }
}

/** Creates the demo if it is missing, and enables its accounts again if PLUMBLINE_DEMO=off disabled them. */
export async function seedDemo(app: App): Promise<DemoStory> {
  const replaced = notesOfReplaced(await replacePublished(app))
  const opened = await openDemo(app)
  const story = await storyOf(app, true)
  const again = `Opened ${formatCount(opened, 'demo account')} again, with new passwords and tokens.`
  return { ...story, notes: [...replaced, ...(opened > 0 ? [again] : [])] }
}

/** Returns the demo, created if `add` is true. It is created in one transaction, and once if several servers start. */
async function storyOf(app: App, add: boolean): Promise<Omit<DemoStory, 'notes'>> {
  return app.database.transaction(async (transaction) => {
    transaction.send(liftTransactionTimeout())
    const find = () => transaction.run<DemoCompanyRow>(demoCompanies())
    let companies = await find()
    if (companies.length === 0 && add) {
      await transaction.run(lockDemo())
      companies = await find()
    }
    const isNew = companies.length === 0 && add
    if (isNew) companies = [await createHarbor(transaction, app), await createHilltop(transaction, app)]
    return { isNew, companies: await describe(transaction, app, companies) }
  })
}

async function describe(transaction: Transaction, app: App, rows: readonly DemoCompanyRow[]): Promise<DemoCompany[]> {
  if (rows.length === 0) return []
  await transaction.run(holdKeys())
  const all = await transaction.run<DemoAccountRow>(demoAccounts())
  const companies: DemoCompany[] = []
  for (const { id, name } of rows) {
    const accounts: DemoAccount[] = []
    for (const row of all.filter(({ company_id }) => company_id === id)) {
      const password = row.disabled ? null : await passwordOf(app.secret, row)
      accounts.push({ id: row.id, name: row.name, email: row.email, password })
    }
    const ids = accounts.map((account) => account.id)
    companies.push({ id, name, accounts, token: await tokenOf(transaction, app, id, ids) })
  }
  return companies
}

/** Returns the token of a company if it acts for one of these accounts. Any other token is somebody's own. */
async function tokenOf(transaction: Transaction, { secret }: App, companyId: number, accountIds: readonly number[]) {
  const token = await presentToken(transaction, companyId)
  if (!token || !accountIds.includes(token.account_id)) return null
  try {
    return (await showToken(transaction, operator(companyId), secret)).token
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

async function wasRemoved({ database }: App): Promise<boolean> {
  const [row] = await database.read<{ removed: boolean }>(demoWasRemoved())
  return row?.removed === true
}

const notesOfReplaced = (accounts: number): string[] =>
  accounts === 0
    ? []
    : [
        `${formatCount(accounts, 'demo account')} had the password that everybody could read in the sources; it was replaced by a drawn one.`,
      ]

const notesOfClosed = ({ accounts, tokens }: { accounts: number; tokens: number }): string[] =>
  accounts === 0
    ? []
    : [
        `PLUMBLINE_DEMO=off: ${formatCount(accounts, 'demo account')} disabled and ${formatCount(tokens, 'token')} revoked. "plumbline demo remove" removes the demo companies.`,
      ]

function howToOpen({ companies }: Omit<DemoStory, 'notes'>): string[] {
  const accounts = companies.flatMap((company) => company.accounts)
  if (accounts.length === 0 || accounts.some(({ password }) => password !== null)) return []
  return ['The demo accounts are closed: "plumbline demo" opens them again, with new passwords.']
}
