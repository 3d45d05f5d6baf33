import { invalidField, type Refusal } from '#registry/refusals.ts'
import { recordId as sessionId } from '../pipeline/read-intent.ts'
import { beginSession, endOtherSessions, endOwnSession, listSessions, type Origin } from '../service/session.ts'
import { confirmPassword } from '../service/sign-in.ts'
import type { Transaction } from '../store/database.ts'
import { isOverTls } from './cookie.ts'
import type { AdmittedRequest, OperationRequest, OperationResult } from './operation-request.ts'
import { createWholeList } from './response.ts'

/** Where one is signed in, and ending that from here. */

export const list = async ({ app, session }: OperationRequest<'sessions.list'>) =>
  createWholeList(await listSessions(app.database, session()))

export const endOthers = ({ change }: OperationRequest<'sessions.end-others'>) =>
  change(async (transaction, session) => ({ data: { ended: await endOtherSessions(transaction, session) } }), {
    isRevocation: true,
  })

export async function endOne(asked: OperationRequest<'sessions.end'>) {
  const id = sessionId(asked)
  return asked.change(
    async (transaction, session): Promise<OperationResult<'sessions.end'>> => {
      const isThis = await endOwnSession(transaction, session, id)
      return { data: { id, ended: true }, ...(isThis ? { session: null } : {}) }
    },
    { isRevocation: true },
  )
}

/** What a session remembers of where it began. */
export const originOf = ({ client: { peer, forwardedFor, device }, app }: AdmittedRequest): Origin => ({
  device,
  peer: peer ?? null,
  forwardedFor,
  plainName: !isOverTls(app.config),
})

/** Another session for the browser that asks, after a new password has ended all there were, those of others who knew the old one too. */
export async function renewSession(transaction: Transaction, asked: AdmittedRequest): Promise<string> {
  const { actor, row } = asked.session()
  const account = { companyId: actor.companyId, accountId: row.account_id }
  const begun = await beginSession(transaction, account, originOf(asked))
  if (!begun) throw new Error('an account that has just been changed is gone')
  return begun.text
}

/** The rest of a body that has one's own password in it, once that is known to be right. */
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

/** The refusal of a change that could make an account somebody else's, sent without one's own password. */
export const needsPassword = (field: string): Refusal =>
  invalidField(field, 'required', 'is required: give your own password to change this')
