import { Refusal } from '#registry/refusals.ts'
import { Fault } from '../store/faults.ts'
import { refusalAnswer, replyOf } from '../walk/answer.ts'
import type { Reply } from '../walk/call.ts'
import type { World } from './world.ts'

/** A refusal says what it is; a fault only that it is one; anything else is our mistake. The cause stays in the log. */
export function failed({ log, config }: World, error: unknown, requestId: string, route: string): Reply {
  if (error instanceof Refusal) return replyOf(refusalAnswer(error, requestId, config.publicUrl))
  const code = error instanceof Fault ? error.code : 'internal_error'
  log.error({ request_id: requestId, route, code, error: error instanceof Fault ? error.cause : error }, 'failed')
  const headers = error instanceof Fault ? { 'Retry-After': '1' } : {}
  return replyOf(refusalAnswer(new Refusal(code, { headers }), requestId, config.publicUrl))
}
