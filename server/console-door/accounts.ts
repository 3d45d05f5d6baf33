import { type Account, createAccount, holdAccount, listAccounts, noAccount, setAccount } from '../service/account.ts'
import { mayChangeAccount, mayGrant } from '../service/account-rights.ts'
import { noteAccount } from '../service/office-note.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import { recordId } from '../walk/read-intent.ts'
import type { Asked, ConsoleRoute } from './asked.ts'
import { readParameters } from './paging.ts'
import { readMembers } from './read-members.ts'
import { created, ok, whole } from './reply.ts'

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

async function update(asked: Asked) {
  const id = recordId(asked)
  const wanted = readMembers(await asked.body(), {
    name: 'text?',
    email: 'text?',
    permissions: 'texts?',
    disabled: 'flag?',
    password: 'text?',
  })
  return ok(
    await asked.change(async (transaction, session) => {
      const before = await holdAccount(transaction, session.key.companyId, id)
      mayChangeAccount({ id: session.row.account_id, permissions: session.row.permissions }, before, wanted)
      const after = await setAccount(transaction, session.key.companyId, id, wanted, {
        hashing: asked.desk.hash,
        keep: ownSession(session, id),
      })
      await noteAccount(transaction, session.actor, before, after, wanted.password !== undefined)
      return after
    }),
  )
}

/** Who gives himself a new password stays signed in where he is. */
const ownSession = ({ key, row }: Session, id: number): Buffer | null => (row.account_id === id ? key.idHash : null)

async function find(transaction: Transaction, companyId: number, id: number): Promise<Account> {
  const account = (await listAccounts(transaction, companyId)).find((one) => one.id === id)
  if (!account) throw noAccount(id)
  return account
}
