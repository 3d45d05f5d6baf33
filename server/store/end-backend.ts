import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { type BackendRow, type EndedBackendRow, endBackends } from '#sql/system/connection.ts'
import { connectClient } from './connect.ts'
import { askWithin, backendKey } from './session-check.ts'

/** The outcome for a session that did not answer. */
export type BackendEnd = { pid: number; outcome: 'ended' | 'waits for a standby' | 'not ended'; afterMs: number }

type EnderOptions = {
  connectTimeoutMs: number
  /** Time for which an end is retried. */
  forMs: number
  onEnd(end: BackendEnd): void
}

const againMs = 1000

/**
 * Ends sessions of PostgreSQL that did not answer in time, which frees their locks. No caller waits for it. Looks once a
 * second, over one connection of its own, until no such session is left. The server does not detect that it is cut off:
 * while it waits for the rest of a batch, its time-outs for statements do not run.
 */
export function openBackendEnder(config: pg.ClientConfig, { connectTimeoutMs, forMs, onEnd }: EnderOptions) {
  const pending = new Map<string, { backend: BackendRow; since: number }>()
  const closing = new AbortController()
  let running: Promise<void> | null = null

  const settle = (key: string, outcome: BackendEnd['outcome']): void => {
    const { backend, since } = pending.get(key) as { backend: BackendRow; since: number }
    pending.delete(key)
    onEnd({ pid: backend.pid, outcome, afterMs: Math.round(performance.now() - since) })
  }

  /** Ends the sessions that are left, and settles those that are gone. */
  const look = async (client: pg.Client): Promise<void> => {
    const looked = [...pending]
    const statement = endBackends(looked.map(([, { backend }]) => backend))
    const { rows } = await askWithin<EndedBackendRow>(client, statement, connectTimeoutMs)
    const left = new Map(rows.map((row) => [backendKey(row), row]))
    for (const [key] of looked) {
      const row = left.get(key)
      if (!row) settle(key, 'ended')
      else if (row.waits_for_standby) settle(key, 'waits for a standby')
    }
  }

  const run = async (): Promise<void> => {
    let client: pg.Client | null = null
    while (pending.size > 0 && !closing.signal.aborted) {
      try {
        client ??= await connectClient(config)
        await look(client)
      } catch {
        // The database cannot be reached, or not over this connection. The next attempt opens another.
        if (client) drop(client)
        client = null
      }
      const late = performance.now() - forMs
      for (const [key, { since }] of pending) if (since < late) settle(key, 'not ended')
      if (pending.size > 0) await setTimeout(againMs, undefined, closing).catch(() => undefined)
    }
    if (client) drop(client)
    running = null
  }

  return {
    end(backend: BackendRow): void {
      pending.set(backendKey(backend), { backend, since: performance.now() })
      running ??= run()
    },
    async close(): Promise<void> {
      closing.abort()
      await running
    },
  }
}

/** Sends the Terminate message without waiting for an answer. */
function drop(client: pg.Client): void {
  void client.end().catch(() => undefined)
  ;(client as unknown as { connection: { stream: { destroySoon(): void } } }).connection.stream.destroySoon()
}
