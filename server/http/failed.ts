import { Refusal } from '#registry/refusals.ts'
import { refusalAnswer, replyOf } from '../pipeline/answer.ts'
import type { Reply } from '../pipeline/call.ts'
import { Fault } from '../store/faults.ts'
import type { App } from './app.ts'

/** A refusal says what it is; a fault only that it is one; anything else is our mistake. The cause stays in the log. */
export function failed({ log, config }: App, error: unknown, requestId: string, route: string): Reply {
  if (error instanceof Refusal) return replyOf(refusalAnswer(error, requestId, config.publicUrl))
  const code = error instanceof Fault ? error.code : 'internal_error'
  log.error({ request_id: requestId, route, code, error: error instanceof Fault ? error.cause : error }, 'failed')
  const headers = error instanceof Fault ? { 'Retry-After': '1' } : {}
  return replyOf(refusalAnswer(new Refusal(code, { headers }), requestId, config.publicUrl))
}
