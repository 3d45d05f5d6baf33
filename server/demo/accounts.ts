import { randomInt } from 'node:crypto'
import { verify } from '@node-rs/argon2'
import { permissions } from '#registry/permissions.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import { type DemoAccountRow, demoAccounts, forgetDemoAccount, insertDemoAccount, lockDemo } from '#sql/system/demo.ts'
import type { App } from '../app.ts'
import { operator } from '../records/actor.ts'
import { type Account, createAccount, setAccount } from '../service/account.ts'
import { type CompanyInput, createCompany } from '../service/company.ts'
import { issueToken, presentToken, revokeToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import { openSealed, type SealingKeys, seal, sealedDemoPassword } from '../store/seal.ts'

type NewDemoAccount = { name: string; email: string; permissions: readonly string[] }
type DemoAccountKey = Pick<DemoAccountRow, 'company_id' | 'id'>

export async function createDemoCompany(
  transaction: Transaction,
  app: App,
  input: CompanyInput,
  owner: { name: string; email: string },
): Promise<CompanyRow> {
  const company = await createCompany(transaction, { ...input, isDemo: true })
  const { id } = await createDemoAccount(transaction, app, company.id, { ...owner, permissions })
  await issueToken(transaction, operator(company.id), app.secret, demoToken(id))
  return company
}

export async function createDemoAccount(
  transaction: Transaction,
  { secret }: App,
  companyId: number,
  person: NewDemoAccount,
): Promise<Account> {
  const password = drawPassword()
  const account = await createAccount(transaction, companyId, { ...person, password })
  await notePassword(transaction, secret, { company_id: companyId, id: account.id }, password)
  return account
}

const demoToken = (accountId: number) => ({ accountId, label: 'Demo', scopes: 'all', allowlist: [] }) as const

/** Returns the password of a demo account. Null if the account is disabled, or if another key sealed the password. */
export async function passwordOf(keys: SealingKeys, { company_id, id, sealed }: DemoAccountRow) {
  if (sealed === null) return null
  try {
    return await openSealed(keys, sealed, sealedDemoPassword.boundTo(company_id, id))
  } catch {
    return null
  }
}

/**
 * Replaces published passwords of demo accounts. Any other password that was not generated here is somebody's own, who
 * has taken over the account. Returns the number of replaced ones.
 */
export async function replacePublished({ database, secret }: App): Promise<number> {
  if ((await database.read<DemoAccountRow>(demoAccounts())).every(({ is_noted }) => is_noted)) return 0
  return database.transaction(async (transaction) => {
    const strange = (await lockAccounts(transaction)).filter(({ is_noted }) => !is_noted)
    const published = await withPublishedPassword(strange)
    for (const account of strange)
      if (published.includes(account)) await drawAnew(transaction, secret, account)
      else await transaction.run(forgetDemoAccount(account.company_id, account.id))
    return published.length
  })
}

/** Disables the demo accounts, deletes their passwords and revokes their tokens. */
export async function closeDemo({ database }: App): Promise<{ accounts: number; tokens: number }> {
  const isOpen = ({ disabled, sealed }: DemoAccountRow) => !disabled || sealed !== null
  const before = await database.read<DemoAccountRow>(demoAccounts())
  if (!before.some(isOpen)) return { accounts: 0, tokens: 0 }
  return database.transaction(async (transaction) => {
    const all = await lockAccounts(transaction)
    const open = all.filter(isOpen)
    for (const { company_id, id, disabled, closed } of open) {
      // This password is stored nowhere. An account that is enabled by hand has to get another one.
      await setAccount(transaction, company_id, id, { disabled: true, password: drawPassword() })
      await transaction.run(insertDemoAccount(company_id, id, { sealed: null, closed: closed || !disabled }))
    }
    let tokens = 0
    for (const companyId of new Set(all.map(({ company_id }) => company_id))) {
      const token = await presentToken(transaction, companyId)
      if (!all.some(({ company_id, id }) => company_id === companyId && id === token?.account_id)) continue
      await revokeToken(transaction, operator(companyId))
      tokens++
    }
    return { accounts: open.length, tokens }
  })
}

/** Enables the accounts that `closeDemo` disabled, with new passwords and tokens. Returns their number. */
export async function openDemo({ database, secret }: App): Promise<number> {
  const isClosed = ({ closed, disabled }: DemoAccountRow) => closed && disabled
  if (!(await database.read<DemoAccountRow>(demoAccounts())).some(isClosed)) return 0
  return database.transaction(async (transaction) => {
    const closed = (await lockAccounts(transaction)).filter(isClosed)
    const reached = new Set<number>()
    for (const account of closed) {
      await drawAnew(transaction, secret, account, { disabled: false })
      const { company_id, id } = account
      // The first is the owner, for whom the token of the demo acts.
      if (reached.has(company_id)) continue
      reached.add(company_id)
      if (await presentToken(transaction, company_id)) continue
      await issueToken(transaction, operator(company_id), secret, demoToken(id))
    }
    return closed.length
  })
}

async function lockAccounts(transaction: Transaction): Promise<DemoAccountRow[]> {
  await transaction.run(lockDemo())
  return transaction.run<DemoAccountRow>(demoAccounts())
}

/** Generates another password for a demo account, and enables the account if wanted. */
async function drawAnew(
  transaction: Transaction,
  keys: SealingKeys,
  account: DemoAccountKey,
  more: { disabled?: false } = {},
): Promise<void> {
  const password = drawPassword()
  await setAccount(transaction, account.company_id, account.id, { ...more, password })
  await notePassword(transaction, keys, account, password)
}

async function notePassword(
  transaction: Transaction,
  keys: SealingKeys,
  { company_id, id }: DemoAccountKey,
  password: string,
): Promise<void> {
  const sealed = await seal(transaction, keys, { text: password, boundTo: sealedDemoPassword.boundTo(company_id, id) })
  await transaction.run(insertDemoAccount(company_id, id, { sealed, closed: false }))
}

/** Returns the accounts whose password is a published one of the sources. */
export async function withPublishedPassword(accounts: readonly DemoAccountRow[]): Promise<DemoAccountRow[]> {
  const found: DemoAccountRow[] = []
  for (const account of accounts)
    if (!account.is_noted && (await isPublished(account.password_hash))) found.push(account)
  return found
}

async function isPublished(hash: string | null): Promise<boolean> {
  if (hash === null) return false
  for (const password of publishedPasswords) if (await verify(hash, password)) return true
  return false
}

/** Letters and digits that do not look alike, because people copy the password from one screen to another. */
const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** Generates a password of 79 bits, as four groups of four. */
const drawPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')).join(
    '-',
  )

/** The people who sign in to the demo. Their passwords are generated for each database. */

export const demoOwners = [
  { name: 'Ada Marsh', email: 'ada@harbor-masonry.example' },
  { name: 'Hal Whitcombe', email: 'hal@hilltop-roofing.example' },
] as const

export const foreman = { name: 'Femi Adeyemi', email: 'femi@harbor-masonry.example' } as const

export const bookkeeper = { name: 'Ottilie Brandt', email: 'ottilie@harbor-masonry.example' } as const

/** The former passwords of the demo, which these sources contained. None of them may stay valid. */
const publishedPasswords = ['harbor-demo-1', 'hilltop-demo-1', 'foreman-demo-1', 'office-demo-1'] as const
