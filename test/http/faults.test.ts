import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { asFault, isConnectionLost } from '#server/store/faults.ts'
import { keepLog } from '#server/store/log-identity.ts'

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

test.each([
  ['an error of its disk', { code: '58030', file: 'md.c' }],
  ['a disk that became read-only', { code: '42501', file: 'md.c' }],
  ['a primary that takes no writes', { code: '25006', file: 'utility.c' }],
])('A database with %s is unavailable, not an internal error.', (_, error) => {
  expect(asFault(error)).toMatchObject({ name: 'Fault', code: 'unavailable' })
})

test('A right that is missing in the database stays an internal error.', () => {
  const error = { code: '42501', file: 'aclchk.c' }
  expect(asFault(error)).toBe(error)
})

test('A connection to a standby is refused: promoted, it would write on in the epoch of the former primary.', async () => {
  const standby = { query: () => Promise.reject({ code: '55000', message: 'recovery is in progress' }) }
  const keeping = keepLog(standby as unknown as pg.ClientBase, 100)
  await expect(keeping).rejects.toMatchObject({ name: 'Fault', code: 'unavailable' })
})

test('Another internal error of the database stays one', () => {
  const error = { code: 'XX000', message: 'cache lookup failed for type 0' }
  expect(asFault(error)).toBe(error)
})
