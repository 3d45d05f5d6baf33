import type pg from 'pg'
import { begin, rollback, selectBackend } from '#sql/system/connection.ts'
import { SharedSession } from './session-check.ts'

/** Throws if the database is reached through a pooler that does not keep a connection for a session. */
export async function probeSessions(open: () => Promise<pg.Client>): Promise<void> {
  const one = await open()
  try {
    const other = await open()
    try {
      if (await shareBackend(one, other)) throw new SharedSession()
    } finally {
      await other.end()
    }
  } finally {
    await one.end()
  }
}

/**
 * Whether two idle connections are answered by one backend, or one connection by two. A pooler that takes backends in
 * turn would give two connections two backends, so the first is asked twice, and again while the other holds one.
 */
async function shareBackend(one: pg.Client, other: pg.Client): Promise<boolean> {
  const first = await backendOf(one)
  if ((await backendOf(one)) !== first) return true
  await other.query(begin.text)
  try {
    return (await backendOf(other)) === first || (await backendOf(one)) !== first
  } finally {
    await other.query(rollback.text)
  }
}

async function backendOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; backend_start: string }>(selectBackend())
  return `${rows[0]?.pid} ${rows[0]?.backend_start}`
}
