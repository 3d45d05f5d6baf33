import type { Stage } from './stage.ts'

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Tries again until it holds, for a moment that only the other side can end. The limit is for what never comes. */
export async function eventually<T>(check: () => Promise<T>, timeoutMilliseconds = 60_000): Promise<T> {
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

/** Waits until the calls that were answered are noted, and their details. */
export async function untilNoted({ meter, callDetails }: Stage['app']): Promise<void> {
  await meter.flush()
  await callDetails?.flush()
}

/** Until all that was written can be told: transactions of other databases of the server may hold the log up. */
export const untilTold = (
  { sql, connection }: Pick<Stage, 'sql' | 'connection'>,
  timeoutMilliseconds = 60_000,
): Promise<void> =>
  eventually(async () => {
    const rows = await sql(connection.workers ? untoldThere : untold)
    if (rows.length > 0) throw new Error('a transaction of somebody else holds the log up')
  }, timeoutMilliseconds)

const untold = 'select from history where pos >= pg_snapshot_xmin(pg_current_snapshot())'
/** Of the epoch that each company's server writes; of those before all is told. */
const untoldThere = `select from history h join company_epochs e on e.company_id = h.company_id and e.epoch = h.epoch
  where e.server = log_server(h.company_id) and h.pos >= log_horizon(h.company_id) and not exists (
    select from company_epochs later where later.company_id = h.company_id and later.epoch > h.epoch
  )`
