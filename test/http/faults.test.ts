import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { asFault, isConnectionLost } from '#server/store/faults.ts'

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

test.each([
  'failure on connection marked as essential: 10.0.0.2:5432',
  'could not commit transaction for shard 102017 on at least one active node',
  "failed to prepare transaction 'citus_0_1_2_3' on host 10.0.0.2:5432",
  'terminating connection due to administrator command',
  'server closed the connection unexpectedly',
  'connection not open',
  'no connection to the server',
  'could not receive data from server: Connection reset by peer',
  'could not send data to server: Broken pipe',
])('A server behind a coordinator that is lost is unavailable: %s', (message) => {
  expect(asFault({ code: 'XX000', message })).toMatchObject({ name: 'Fault', code: 'unavailable' })
})

test.each(['25P03', '25P04'])(
  'A transaction that the server ended for its age is unavailable, with its connection: %s',
  (code) => {
    expect(asFault({ code })).toMatchObject({ name: 'Fault', code: 'unavailable' })
    expect(isConnectionLost({ code })).toBe(true)
  },
)

test('Another internal error of the database stays one', () => {
  const error = { code: 'XX000', message: 'cache lookup failed for type 0' }
  expect(asFault(error)).toBe(error)
})
