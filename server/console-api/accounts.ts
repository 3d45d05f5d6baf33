import { recordId } from '../pipeline/read-intent.ts'
import {
  type Account,
  type AccountChange,
  createAccount,
  listAccounts,
  readAccount,
  setAccount,
} from '../service/account.ts'
import { mayChangeAccount, mayGrant } from '../service/account-rights.ts'
import type { Session } from '../service/session.ts'
import { confirmPassword } from '../service/sign-in.ts'
import { type AdmittedRequest, type Handlers, revocation } from './operation-request.ts'
import { createWholeList } from './response.ts'
import { needsPassword, renewSession } from './sessions.ts'

/** Settings, Accounts: accounts and their permissions. */

export const accounts = {
  'accounts.list': async ({ read }) => createWholeList(await read(listAccounts)),

  'accounts.fetch': async (request) => ({ data: await find(request, recordId(request)) }),

  async 'accounts.create'({ app, body, change, passwords }) {
    const wanted = await body()
    return change(async (transaction, { actor, row }) => {
      mayGrant(row.permissions, [], wanted.permissions)
      const { publicUrl } = app.config
      const options = { hashing: passwords.hash, publicUrl, actor }
      return { data: await createAccount(transaction, actor.companyId, wanted, options) }
    })
  },

  async 'accounts.update'(request) {
    const id = recordId(request)
    const { own_password, ...wanted } = await request.body()
    await confirmWhereNeeded(request, id, wanted, own_password)
    return request.change(async (transaction, session) => {
      const { actor, row } = session
      const before = await readAccount(transaction, actor.companyId, id, true)
      mayChangeAccount(selfOf(session), before, wanted)
      const account = await setAccount(transaction, actor.companyId, id, wanted, {
        hashing: request.passwords.hash,
        publicUrl: request.app.config.publicUrl,
        actor,
      })
      const renews = row.account_id === id && wanted.password !== undefined
      return { data: account, ...(renews ? { session: await renewSession(transaction, request) } : {}) }
    }, revocation)
  },
} satisfies Partial<Handlers>

const selfOf = ({ row }: Session) => ({ id: row.account_id, permissions: row.permissions })

/** Requires one's own password for a change of address or password, which would allow a sign-in as that account. */
async function confirmWhereNeeded(
  request: AdmittedRequest,
  id: number,
  wanted: AccountChange,
  own: string | undefined,
) {
  const { app, passwords } = request
  const session = request.session()
  const before = await find(request, id)
  mayChangeAccount(selfOf(session), before, wanted)
  if (own !== undefined) await confirmPassword(app.database, passwords, session, own, 'own_password')
  else if (wanted.password !== undefined || (wanted.email ?? before.email) !== before.email) {
    throw needsPassword('own_password')
  }
}

const find = ({ read }: AdmittedRequest, id: number): Promise<Account> =>
  read((transaction, companyId) => readAccount(transaction, companyId, id, false))
