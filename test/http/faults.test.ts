import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { asFault } from '#server/store/faults.ts'

/** A database that lets callers connect and then says nothing: the driver gives up, without a code. */
async function silentDatabase(): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as { port: number }).port
}

test.each([
  ['a connection', (settings: pg.PoolConfig) => new pg.Client(settings)],
  ['a pool', (settings: pg.PoolConfig) => new pg.Pool(settings)],
])('A database that does not answer in time is unavailable, not an internal error: %s', async (_, make) => {
  const silent = make({ host: '127.0.0.1', port: await silentDatabase(), connectionTimeoutMillis: 50 })
  const error = await Promise.resolve(silent.connect()).then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  )
  expect(asFault(error)).toMatchObject({ name: 'Fault', code: 'unavailable' })
})
