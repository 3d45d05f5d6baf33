import {
  type Account,
  type AccountChange,
  createAccount,
  holdAccount,
  listAccounts,
  noAccount,
  setAccount,
} from '../service/account.ts'
import { mayChangeAccount, mayGrant } from '../service/account-rights.ts'
import { noteAccount } from '../service/office-note.ts'
import type { Session } from '../service/session.ts'
import { confirmPassword } from '../service/sign-in.ts'
import type { Transaction } from '../store/database.ts'
import { recordId } from '../walk/read-intent.ts'
import type { Asked, ConsoleReply, ConsoleRoute } from './asked.ts'
import { needsPassword } from './own-password.ts'
import { readParameters } from './paging.ts'
import { readMembers } from './read-members.ts'
import { created, ok, whole } from './reply.ts'
import { renewSession } from './sessions.ts'

/** Settings, Accounts: who may do what. */
export const accountRoutes: ConsoleRoute[] = [
  { id: 'accounts.list', method: 'GET', path: '/console/accounts', needs: 'ACCOUNTS_MANAGE', answer: list },
  { id: 'accounts.create', method: 'POST', path: '/console/accounts', needs: 'ACCOUNTS_MANAGE', answer: create },
  { id: 'accounts.fetch', method: 'GET', path: '/console/accounts/{id}', needs: 'ACCOUNTS_MANAGE', answer: fetch },
  { id: 'accounts.update', method: 'PATCH', path: '/console/accounts/{id}', needs: 'ACCOUNTS_MANAGE', answer: update },
]

async function list(asked: Asked) {
  readParameters(asked, [])
  const { companyId } = asked.session().actor
  return whole(await asked.world.database.transaction((transaction) => listAccounts(transaction, companyId)))
}

async function fetch(asked: Asked) {
  readParameters(asked, [])
  const { companyId } = asked.session().actor
  return ok(await asked.world.database.transaction((transaction) => find(transaction, companyId, recordId(asked))))
}

async function create({ body, change, desk }: Asked) {
  const wanted = readMembers(await body(), { name: 'text', email: 'text', permissions: 'texts', password: 'text?' })
  return created(
    await change(async (transaction, { actor, row }) => {
      mayGrant(row.permissions, [], wanted.permissions)
      const account = await createAccount(transaction, actor.companyId, wanted, desk.hash)
      await noteAccount(transaction, actor, null, account, false)
      return account
    }),
  )
}

async function update(asked: Asked): Promise<ConsoleReply> {
  const id = recordId(asked)
  const { own_password, ...wanted } = readMembers(await asked.body(), {
    name: 'text?',
    email: 'text?',
    permissions: 'texts?',
    disabled: 'flag?',
    password: 'text?',
    own_password: 'text?',
  })
  await confirmWhereNeeded(asked, id, wanted, own_password)
  const changed = await asked.change(async (transaction, session) => {
    const { actor, row } = session
    const before = await holdAccount(transaction, actor.companyId, id)
    mayChangeAccount(selfOf(session), before, wanted)
    const account = await setAccount(transaction, actor.companyId, id, wanted, { hashing: asked.desk.hash })
    await noteAccount(transaction, actor, before, account, wanted.password !== undefined)
    const renews = row.account_id === id && wanted.password !== undefined
    return { account, ...(renews ? { session: await renewSession(transaction, asked) } : {}) }
  })
  return { ...ok(changed.account), ...(changed.session === undefined ? {} : { session: changed.session }) }
}

const selfOf = ({ row }: Session) => ({ id: row.account_id, permissions: row.permissions })

/** With another address or password somebody could sign in as the account, so that asks for one's own password. */
async function confirmWhereNeeded(asked: Asked, id: number, wanted: AccountChange, own: string | undefined) {
  const { world, desk } = asked
  const session = asked.session()
  const { companyId } = session.actor
  const before = await world.database.transaction((transaction) => find(transaction, companyId, id))
  mayChangeAccount(selfOf(session), before, wanted)
  if (own !== undefined) await confirmPassword(world.database, desk, session, own, 'own_password')
  else if (wanted.password !== undefined || (wanted.email ?? before.email) !== before.email) {
    throw needsPassword('own_password')
  }
}

async function find(transaction: Transaction, companyId: number, id: number): Promise<Account> {
  const account = (await listAccounts(transaction, companyId)).find((one) => one.id === id)
  if (!account) throw noAccount(id)
  return account
}
