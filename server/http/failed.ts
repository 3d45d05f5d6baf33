import { Refusal } from '#registry/refusals.ts'
import { refusalAnswer, replyOf } from '../pipeline/answer.ts'
import type { Reply } from '../pipeline/call.ts'
import { Fault } from '../store/faults.ts'
import type { App } from './app.ts'
import type { FailureLog } from './failure-log.ts'

/** Makes the answer to a call that was not done. */
export type Failed = (error: unknown, requestId: string, route: string) => Reply

/** A refusal says what it is; a fault only that it is one; anything else is our mistake. The cause stays in the log. */
export function answerFailures({ log, config }: Pick<App, 'log' | 'config'>, failures: FailureLog): Failed {
  return (error, requestId, route) => {
    if (error instanceof Refusal) {
      if (error.code === 'unavailable') failures.note({ code: error.code, error: undefined, route, requestId })
      return replyOf(refusalAnswer(error, requestId, config.publicUrl))
    }
    if (error instanceof Fault) {
      const { code, cause } = error
      failures.note({ code, error: cause, route, requestId })
      const refusal = new Refusal(code, { headers: { 'Retry-After': '1' } })
      return replyOf(refusalAnswer(refusal, requestId, config.publicUrl))
    }
    log.error({ request_id: requestId, route, code: 'internal_error', error }, 'failed')
    return replyOf(refusalAnswer(new Refusal('internal_error'), requestId, config.publicUrl))
  }
}
