import { Refusal } from '#registry/refusals.ts'
import { type CallResponse, refusalResponse } from '../pipeline/response.ts'
import { Fault } from '../store/faults.ts'
import type { App } from './app.ts'

export type FailureLog = ReturnType<typeof openFailureLog>

export type FailedCall = { code: string; error: unknown; route: string; requestId: string }

type Group = { code: string; cause: string; total: number; since: number; routes: Map<string, number> }

/** Routes that a line names. Others are counted together, because a path may be any text. */
const routesMax = 20
/** Causes with a line of their own. All further ones share one. */
const causesMax = 50

/**
 * Logs calls that failed because a dependency did. The first call of a cause is logged in full. Later ones are counted
 * and logged in one line for each interval, so that an outage writes as much for a million calls as for ten.
 */
export function openFailureLog({ log, clock }: Pick<App, 'log' | 'clock'>, intervalMs = 10_000) {
  const groups = new Map<string, Group>()
  let timer: NodeJS.Timeout | undefined

  const write = (): void => {
    for (const [key, group] of groups) {
      const { code, cause, total, since, routes } = group
      const calls = [...routes.values()].reduce((sum, count) => sum + count, 0)
      if (calls > 0) {
        log.error({ code, cause, calls, routes: Object.fromEntries(routes) }, 'still failing')
        group.routes = new Map()
      } else {
        const seconds = Math.round((clock.elapsed() - since) / 1000)
        log.info({ code, cause, calls: total, seconds }, 'no longer failing')
        groups.delete(key)
      }
    }
    if (groups.size === 0) stop()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** Logs or counts one call. `error` is undefined if the service itself refused. */
    note({ code, error, route, requestId }: FailedCall): void {
      const cause = groups.size < causesMax ? causeOf(error) : 'other'
      const key = `${code} ${cause}`
      const group = groups.get(key)
      if (!group) {
        groups.set(key, { code, cause, total: 1, since: clock.elapsed(), routes: new Map() })
        timer ??= setInterval(write, intervalMs).unref()
        log.error({ request_id: requestId, route, code, error }, 'failed')
        return
      }
      group.total++
      const name = group.routes.has(route) || group.routes.size < routesMax ? route : 'other'
      group.routes.set(name, (group.routes.get(name) ?? 0) + 1)
    },
    /** Logs the counts and stops. */
    close(): void {
      stop()
      write()
      groups.clear()
    },
  }
}

/** Returns the code of PostgreSQL or Node, else the name of the error: never a text that varies. */
function causeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'refused'
}

/** Returns the response to a call that failed. */
export type FailureResponder = (error: unknown, requestId: string, route: string) => CallResponse

/** Returns a refusal with its code, a fault as 503, anything else as 500. Only the log has the cause. */
export function answerFailures({ log, config }: Pick<App, 'log' | 'config'>, failures: FailureLog): FailureResponder {
  return (error, requestId, route) => {
    if (error instanceof Refusal) {
      if (error.code === 'unavailable') failures.note({ code: error.code, error: undefined, route, requestId })
      return refusalResponse(error, requestId, config.publicUrl)
    }
    if (error instanceof Fault) {
      const { code, cause } = error
      failures.note({ code, error: cause, route, requestId })
      const refusal = new Refusal(code, { headers: { 'Retry-After': '1' } })
      return refusalResponse(refusal, requestId, config.publicUrl)
    }
    log.error({ request_id: requestId, route, code: 'internal_error', error }, 'failed')
    return refusalResponse(new Refusal('internal_error'), requestId, config.publicUrl)
  }
}
