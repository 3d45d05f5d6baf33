import { givesAccess } from '#derive/console/confirmed.ts'
import { recordId } from '../protocol/path-id.ts'
import { type Account, createAccount, listAccounts, readAccount, setAccount } from '../service/account.ts'
import { mayChangeAccount, mayGrant } from '../service/account-rights.ts'
import type { Session } from '../service/session.ts'
import { type AdmittedRequest, type Handlers, revocation } from './operation-request.ts'
import { createWholeList } from './response.ts'
import { confirmOwn, renewSession } from './sessions.ts'

/** Settings, Accounts: accounts and their permissions. */

export const accounts = {
  'accounts.list': async ({ read }) => createWholeList(await read(listAccounts)),

  'accounts.fetch': async (request) => ({ data: await find(request, recordId(request)) }),

  async 'accounts.create'(request) {
    const { app, change, passwords, session } = request
    const { own_password, ...wanted } = await request.body()
    mayGrant(session().row.permissions, [], wanted.permissions)
    const needConfirmed = await confirmOwn(request, own_password)
    return change(async (transaction, { actor, row }) => {
      mayGrant(row.permissions, [], wanted.permissions)
      if (givesAccess(null, wanted)) needConfirmed()
      const { publicUrl } = app.config
      const options = { hashing: passwords.hash, publicUrl, actor }
      return { data: await createAccount(transaction, actor.companyId, wanted, options) }
    })
  },

  async 'accounts.update'(request) {
    const id = recordId(request)
    const { own_password, ...wanted } = await request.body()
    mayChangeAccount(selfOf(request.session()), await find(request, id), wanted)
    const needConfirmed = await confirmOwn(request, own_password)
    return request.change(async (transaction, session) => {
      const { actor, row } = session
      const before = await readAccount(transaction, actor.companyId, id, true)
      mayChangeAccount(selfOf(session), before, wanted)
      if (givesAccess(before, wanted)) needConfirmed()
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

const find = ({ read }: AdmittedRequest, id: number): Promise<Account> =>
  read((transaction, companyId) => readAccount(transaction, companyId, id, false))
