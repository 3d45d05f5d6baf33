import { beginSession, endOtherSessions, endOwnSession, listSessions, type Origin } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import { recordId as sessionId } from '../walk/read-intent.ts'
import type { Asked, ConsoleReply, ConsoleRoute } from './asked.ts'
import { isOverTls } from './cookie.ts'
import { readParameters } from './paging.ts'
import { ok, whole } from './reply.ts'

/** Where one is signed in, and ending that from here. */
export const ownSessionRoutes: ConsoleRoute[] = [
  { id: 'sessions.list', method: 'GET', path: '/console/sessions', needs: 'session', answer: list },
  { id: 'sessions.end-others', method: 'DELETE', path: '/console/sessions', needs: 'session', answer: endOthers },
  { id: 'sessions.end', method: 'DELETE', path: '/console/sessions/{id}', needs: 'session', answer: endOne },
]

async function list(asked: Asked) {
  readParameters(asked, [])
  return whole(await listSessions(asked.world.database, asked.session()))
}

async function endOthers({ change }: Asked) {
  return ok({ ended: await change(endOtherSessions) })
}

async function endOne(asked: Asked): Promise<ConsoleReply> {
  const id = sessionId(asked)
  const isThis = await asked.change((transaction, session) => endOwnSession(transaction, session, id))
  return { ...ok({ id, ended: true }), ...(isThis ? { session: null } : {}) }
}

/** What a session remembers of where it began. */
export const originOf = ({ client: { peer, forwardedFor, device }, world }: Asked): Origin => ({
  device,
  peer: peer ?? null,
  forwardedFor,
  plainName: !isOverTls(world.config),
})

/** Another session for whoever asks, after a new password has ended all there were: whoever knew the old one is out. */
export async function renewSession(transaction: Transaction, asked: Asked): Promise<string> {
  const { actor, row } = asked.session()
  const account = { companyId: actor.companyId, accountId: row.account_id }
  const text = await beginSession(transaction, account, originOf(asked))
  if (text === undefined) throw new Error('an account that has just been changed is gone')
  return text
}
