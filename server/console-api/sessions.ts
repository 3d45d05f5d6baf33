import { invalidField, type Refusal } from '#registry/refusals.ts'
import { type ListedSession, type SessionOrigin, sessionsOf } from '#sql/system/sessions.ts'
import { recordId as sessionId } from '../protocol/path-id.ts'
import { beginSession, endOwnSession, endSessionsOf } from '../service/session.ts'
import { confirmPassword } from '../service/sign-in.ts'
import type { Transaction } from '../store/database.ts'
import { isOverTls } from './cookie.ts'
import { type AdmittedRequest, type Handlers, revocation } from './operation-request.ts'
import { createWholeList } from './response.ts'

/** The sessions of one's own account, and their end. */

export const sessions = {
  async 'sessions.list'({ app, session }) {
    const { key, row } = session()
    return createWholeList(await app.database.read<ListedSession>(sessionsOf(key, row.account_id)))
  },

  'sessions.end-others': ({ change }) =>
    change(async (transaction, { actor, row, key }) => {
      const ended = await endSessionsOf(transaction, actor, row.account_id, key.idHash)
      return { data: { ended } }
    }, revocation),

  async 'sessions.end'(request) {
    const id = sessionId(request)
    return request.change(async (transaction, session) => {
      const isThis = await endOwnSession(transaction, session, id)
      return { data: { id, ended: true }, ...(isThis ? { session: null } : {}) }
    }, revocation)
  },
} satisfies Partial<Handlers>

export const originOf = ({ client: { peer, forwardedFor, device }, app }: AdmittedRequest): SessionOrigin => ({
  device,
  peer: peer ?? null,
  forwardedFor,
  plainName: !isOverTls(app.config),
})

/** Begins another session for the browser: a new password has ended all, since others may have known the old one. */
export async function renewSession(transaction: Transaction, request: AdmittedRequest): Promise<string> {
  const { actor, row } = request.session()
  const account = { companyId: actor.companyId, accountId: row.account_id }
  const begun = await beginSession(transaction, account, originOf(request))
  if (!begun) throw new Error('an account that has just been changed is gone')
  return begun.text
}

/** Returns the rest of a body after its password is confirmed. */
export async function confirmedBody<Given extends { password: string }>({
  app,
  passwords,
  session,
  body,
}: AdmittedRequest & { body(): Promise<Given> }): Promise<Omit<Given, 'password'>> {
  const { password, ...wanted } = await body()
  await confirmPassword(app.database, passwords, session(), password)
  return wanted
}

/** Checks the own password, if given. Returns a function for a change that needs it, which throws without it. */
export async function confirmOwn(
  { app, passwords, session }: AdmittedRequest,
  own: string | undefined,
): Promise<() => void> {
  if (own === undefined) {
    return () => {
      throw needsPassword('own_password')
    }
  }
  await confirmPassword(app.database, passwords, session(), own, 'own_password')
  return () => undefined
}

/** Returns the refusal of a change that needs one's own password, because it could hand over an account. */
export const needsPassword = (field: string): Refusal =>
  invalidField(field, 'required', 'is required: give your own password to change this')
