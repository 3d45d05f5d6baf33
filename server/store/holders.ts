import { setTimeout } from 'node:timers/promises'
import { blockersOf, type Holder } from '#sql/system/migrations.ts'
import { type Connection, withClient } from './connect.ts'

/** Formats a session so that an operator can find it. */
export const formatHolder = ({ pid, program, user, seconds }: Holder): string =>
  `${program}${user === null ? '' : ` of the user ${user}`} (process ${pid} of the database, open for ${seconds} s)`

const lookEveryMs = 100

/** Looks for sessions that block a backend, from a second connection: after a lock time-out it is too late. */
export function watchHolders(
  connection: Connection,
  pid: number,
  afterMs: number,
  seen: (holders: readonly Holder[]) => void,
) {
  let last: readonly Holder[] = []
  const stopped = new AbortController()
  const pause = (ms: number): Promise<unknown> => setTimeout(ms, undefined, { signal: stopped.signal })
  const watching = (async () => {
    await pause(afterMs)
    await withClient(connection, 'a stop', async (client) => {
      for (;;) {
        const { rows } = await client.query<Holder>(blockersOf(pid))
        if (rows.length > 0) {
          last = rows
          seen(rows)
        }
        await pause(lookEveryMs)
      }
    })
  })().catch(() => undefined)
  return {
    /** Returns the sessions that were seen last to block the backend. */
    last: () => last,
    async stop(): Promise<void> {
      stopped.abort()
      await watching
    },
  }
}
