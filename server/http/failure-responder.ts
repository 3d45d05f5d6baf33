import { Refusal } from '#registry/refusals.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import { refusalAnswer, replyOf } from '../pipeline/stored-response.ts'
import { Fault } from '../store/faults.ts'
import type { App } from './app.ts'
import type { FailureLog } from './failure-log.ts'

/** Returns the response to a call that failed. */
export type FailureResponder = (error: unknown, requestId: string, route: string) => ApiResponse

/** Returns a refusal with its code, a fault as 503, anything else as 500. Only the log has the cause. */
export function answerFailures({ log, config }: Pick<App, 'log' | 'config'>, failures: FailureLog): FailureResponder {
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
