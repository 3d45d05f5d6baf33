import type { Stage } from './stage.ts'

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Tries again until it holds, for a moment that only the other side can end. */
export async function eventually<T>(check: () => Promise<T>, timeoutMilliseconds = 5000): Promise<T> {
  const until = performance.now() + timeoutMilliseconds
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(20)
    }
  }
}

/** Until all that was written can be told: transactions of other databases of the server may hold the log up. */
export const untilTold = ({ sql, connection }: Pick<Stage, 'sql' | 'connection'>): Promise<void> =>
  eventually(async () => {
    const horizon = connection.workers ? 'log_horizon(company_id)' : 'pg_snapshot_xmin(pg_current_snapshot())'
    const rows = await sql(`select from history where pos >= ${horizon}`)
    if (rows.length > 0) throw new Error('a transaction of somebody else holds the log up')
  }, 20_000)
