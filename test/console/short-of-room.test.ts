import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConsoleOperation } from '#derive/console/operation.ts'
import { consoleOperations } from '#derive/console/operations.ts'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import { isShortOf, startDiskWatch } from '#server/jobs/disk.ts'
import type { TestResponse } from '../stage/http.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** What is refused and what goes on while the disk of the database has no room for writes; a real disk is in test/cluster. */
let stage: ConsoleStage
let company: Company
let admin: Person
beforeAll(async () => {
  stage = await openConsole()
  const own = await stage.admin()
  company = own.company
  admin = own
})
afterAll(() => stage.close())

async function whileShort<T>(work: () => Promise<T>): Promise<T> {
  stage.app.room.isShort = true
  try {
    return await work()
  } finally {
    stage.app.room.isShort = false
  }
}

const isRefused = ({ status, headers, body }: TestResponse): boolean =>
  status === 503 && body?.code === 'unavailable' && headers['retry-after'] === '10'

describe('While the disk of the database is nearly full', () => {
  test('every write of /v1 is refused before its body is looked at, and is done once there is room; reads go on', async () => {
    const id = await company.create('clients', { name: 'A' })
    await whileShort(async () => {
      for (const [method, path, body] of [
        ['POST', '/v1/clients', { name: 'B' }],
        ['PATCH', `/v1/clients/${id}`, { name: 'B' }],
        ['PUT', '/v1/clients/by/external_ref/x', { name: 'B' }],
        ['DELETE', `/v1/clients/${id}`, undefined],
        ['POST', '/v1/batch', 'not even a batch'],
      ] as const) {
        const headers = { 'Idempotency-Key': `short-${method}-${path.length}` }
        expect(isRefused(await company.call(method, path, { body, headers })), `${method} ${path}`).toBe(true)
      }
      for (const path of ['/v1/clients', `/v1/clients/${id}`, '/v1/changes'])
        expect((await company.get(path)).status, path).toBe(200)
    })
    const headers = { 'Idempotency-Key': 'short-POST-11' }
    const done = await company.call('POST', '/v1/clients', { body: { name: 'B' }, headers })
    expect(done.status).toBe(201)
    expect(done.headers['idempotency-replayed']).toBeUndefined()
    expect((await company.get('/v1/clients')).body.meta.total).toBe(2)
  })

  test('/readyz is 200 and says so, and /metrics counts what was refused', async () => {
    await whileShort(async () => {
      const { status, body } = await stage.send({ method: 'GET', path: '/readyz' })
      expect({ status, body }).toEqual({ status: 200, body: { status: 'ready', writes: 'refused', why: 'disk' } })
    })
    const { body } = await stage.send({ method: 'GET', path: '/readyz' })
    expect(body).toEqual({ status: 'ready' })
    const { text } = await stage.send({ method: 'GET', path: '/metrics' })
    expect(text).toMatch(/^plumbline_requests_turned_away_total\{sort="no-room"\} [1-9]/m)
  })

  test('of the interface the same: but whatever takes rights away, signs in or out, or only reads is let in', async () => {
    const letIn: string[] = []
    const nobody = '00000000-0000-0000-0000-000000000000'
    await whileShort(async () => {
      for (const [name, operation] of Object.entries(consoleOperations) as [string, ConsoleOperation][]) {
        const { method, path, needs, word } = operation
        if (method === 'GET' || needs === 'nobody') continue
        const records = registry.find((definition) => !word || definition[word]) as Definition
        const at = `/console${path.replace('{records}', records.name).replace('{id}', nobody)}`
        const answer = await admin.ask(method, at, method === 'DELETE' ? undefined : {})
        if (!isRefused(answer)) letIn.push(name)
      }
    })
    // The last sign-out of all ends this one's other sessions alone.
    expect(letIn.toSorted()).toEqual(
      [
        ...[
          'accounts.update',
          'agents.decline',
          'agents.update',
          'me.update',
          'records.look-up',
          'sessions.end',
          'sessions.end-others',
        ],
        ...['token.allow', 'token.change', 'token.revoke', 'token.rotate', 'webhooks.disable'],
      ].toSorted(),
    )
  })

  test('somebody signs in, revokes the token and signs out', async () => {
    const someone = await stage.admin()
    const { email, password } = someone
    await whileShort(async () => {
      const signedIn = await stage.ask('POST', '/console/session', { body: { email, password } })
      expect(signedIn.status).toBe(200)
      expect((await someone.ask('POST', '/console/token/revoke', { password })).status).toBe(200)
      expect((await someone.company.get('/v1/clients')).status).toBe(401)
      expect((await someone.ask('DELETE', '/console/session')).status).toBe(204)
      expect((await someone.get('/console/me')).status).toBe(401)
    })
  })
})

test('A statement that finds the disk full is 503 for that call alone: its connection goes on.', async () => {
  const server = () =>
    stage.inTransaction(({ run }) => run<{ pid: number }>({ text: 'select pg_backend_pid() as pid', values: [] }))
  const [before] = await server()
  const full = stage.inTransaction(({ run }) =>
    run({ text: "do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$", values: [] }),
  )
  await expect(full).rejects.toMatchObject({ code: 'unavailable', cause: { code: '53100' } })
  expect(await server()).toEqual([before])
})

describe('Writes are refused below the reserve, and let in above it and a tenth', () => {
  const megabyte = 1024 ** 2
  const rows: { free: number; size: number; reserve: number | null; was: boolean; is: boolean }[] = [
    { free: 255, size: 100_000, reserve: null, was: false, is: true },
    { free: 256, size: 100_000, reserve: null, was: false, is: false },
    { free: 281, size: 100_000, reserve: null, was: true, is: true },
    { free: 282, size: 100_000, reserve: null, was: true, is: false },
    { free: 19, size: 400, reserve: null, was: false, is: true },
    { free: 21, size: 400, reserve: null, was: false, is: false },
    { free: 21, size: 400, reserve: null, was: true, is: true },
    { free: 23, size: 400, reserve: null, was: true, is: false },
    { free: 999, size: 100_000, reserve: 1000, was: false, is: true },
    { free: 0, size: 400, reserve: 0, was: false, is: false },
    { free: 0, size: 400, reserve: 0, was: true, is: false },
  ]
  test.each(rows)('$free MB of $size, reserve $reserve, refused before: $was', ({ free, size, reserve, was, is }) => {
    const room = { freeBytes: free * megabyte, sizeBytes: size * megabyte }
    expect(isShortOf(room, reserve === null ? null : reserve * megabyte, was)).toBe(is)
  })
})

test('Folders that are not there are passed over, and nothing fails.', async () => {
  const shown: string[] = []
  const watch = await startDiskWatch(
    {
      cluster: '/nowhere/at/all',
      others: { archive: '/nowhere/else', temporary: '/' },
      reserveBytes: null,
      onFree: (name) => shown.push(name),
      onShort: () => shown.push('short'),
    },
    stage.app.inBackground,
  )
  await expect.poll(() => shown).toEqual(['temporary'])
  watch.stop()
})
