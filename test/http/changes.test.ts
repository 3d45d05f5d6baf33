import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Refusal } from '#registry/refusals.ts'
import { type Change, cursorOf, endOfLog, horizon, isGone, readChanges, readCursor } from '#server/service/changes.ts'
import type { ChangesRow } from '#sql/records/changes.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, untilTold } from '../stage/wait.ts'

let stage: Stage
const placesMax = 100
beforeAll(async () => {
  // A hundred that come at once wait for the first connections to be made.
  stage = await openStage({ REQUESTS_MAX: String(placesMax) })
})
afterAll(() => stage.close())

const patch = (own: Company, id: number, body: object) => own.call('PATCH', `/v1/clients/${id}`, { body })
const marked = (text: string, ...values: unknown[]) => stage.sql(text, ...values)

/** Everything after a cursor, page by page, once all of it can be told. */
async function follow(own: Company, after: string | null, limit = 100): Promise<{ changes: Change[]; next: string }> {
  await untilTold(stage)
  const changes: Change[] = []
  for (let cursor = after; ; ) {
    const { status, body } = await own.get(`/v1/changes?limit=${limit}${cursor === null ? '' : `&after=${cursor}`}`)
    expect(status).toBe(200)
    changes.push(...body.data)
    cursor = body.meta.next
    if (!body.meta.more) return { changes, next: body.meta.next }
  }
}

describe('The feed tells every committed change, in order', () => {
  test('the place of this moment is there for a transaction during which somebody else has taken one', async () => {
    const own = await stage.company()
    const cursor = await stage.inTransaction(async ({ run }) => {
      await run({ text: 'select', values: [] })
      expect((await own.get('/v1/changes?after=now')).status).toBe(200)
      return endOfLog(run, own.id)
    })
    expect((await own.get(`/v1/changes?after=${cursorOf(own.id, cursor)}`)).status).toBe(200)
  })

  test('what happened, by whom and with which key, and a deletion as a tombstone', async () => {
    const own = await stage.company()
    const { body: start } = await own.get('/v1/changes?after=now')
    const headers = { 'Idempotency-Key': 'mine-1' }
    const created = await own.call('POST', '/v1/clients', { body: { name: 'A' }, headers })
    const id = created.body.data.id
    await patch(own, id, { name: 'B' })
    await own.call('DELETE', `/v1/clients/${id}`)
    const { changes } = await follow(own, start.meta.next)
    expect(changes).toMatchObject([
      { event: 'clients.created', version: 1, action: 'created', changes: null, record: null },
      { event: 'clients.updated', version: 2, changes: { name: ['A', 'B'] }, record: null, removal_id: null },
      { event: 'clients.deleted', version: 3, record: { id, name: 'B' }, removal_id: expect.any(Number) },
    ])
    const by = { channel: 'api', account_id: own.accountId, idempotency_key: 'mine-1' }
    expect(changes[0]?.by).toMatchObject({ ...by, request_id: created.headers['x-request-id'] })
    expect(new Set(changes.map(({ id }) => id)).size).toBe(3)
  })

  test('every answer to a write names what the log calls it, and a dry-run, which writes nothing, names nothing', async () => {
    const own = await stage.company()
    const created = await own.call('POST', '/v1/clients', { body: { name: 'A' } })
    const { id } = created.body.data
    const answers = [created, await patch(own, id, { name: 'B' }), await own.call('DELETE', `/v1/clients/${id}`)]
    const told = await marked(
      'select write_id from history where company_id = $1 and record_id = $2 and version > 0 order by id',
      own.id,
      id,
    )
    expect(answers.map(({ headers }) => headers['x-write-id'])).toEqual(told.map(({ write_id }) => write_id))
    const dry = await own.call('POST', '/v1/clients', { body: { name: 'A' }, headers: { 'X-Dry-Run': '1' } })
    expect([dry.status, dry.headers['x-write-id']]).toEqual([200, undefined])
  })

  test('the name of a write is a UUID of version 7, which says when it was made', async () => {
    const own = await stage.company()
    const before = Date.now()
    const { headers } = await own.call('POST', '/v1/clients', { body: { name: 'A' } })
    const name = headers['x-write-id'] as string
    expect(name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const madeAt = Number.parseInt(name.replace('-', '').slice(0, 12), 16)
    expect(madeAt).toBeGreaterThanOrEqual(before)
    expect(madeAt).toBeLessThanOrEqual(Date.now())
  })

  test('page by page the same as at once, and the same again from the same cursor', async () => {
    const own = await stage.company()
    for (let count = 0; count < 7; count++) await own.create('clients', { name: `C${count}` })
    const whole = await follow(own, null)
    expect(whole.changes).toHaveLength(7)
    expect((await follow(own, null, 2)).changes).toEqual(whole.changes)
    expect((await follow(own, whole.next)).changes).toEqual([])
  })

  test('a write that is not committed holds back what was committed after it, and nothing is passed over', async () => {
    const own = await stage.company()
    const { body: start } = await own.get('/v1/changes?after=now')
    await stage.inTransaction(async ({ run }) => {
      await run({ text: 'update companies set name = name where id = $1', values: [own.id] })
      await own.create('clients', { name: 'Later' })
      expect((await own.get(`/v1/changes?after=${start.meta.next}`)).body.data).toEqual([])
      expect((await horizon(stage.app.database)).holder).toContain(
        stage.connection.workers ? 'citus_internal' : 'plumbline',
      )
    })
    expect((await follow(own, start.meta.next)).changes).toHaveLength(1)
  })

  test('records= tells of these alone, and the cursor passes over the others', async () => {
    const own = await stage.company()
    await own.create('clients', { name: 'C' })
    await own.create('projects', { name: 'P' })
    await untilTold(stage)
    const { body } = await own.get('/v1/changes?records=clients')
    expect(body).toMatchObject({ data: [{ records: 'clients' }], meta: { more: false, records: ['clients'] } })
    expect((await own.get(`/v1/changes?after=${body.meta.next}`)).body.data).toEqual([])
  })

  test('a change of the console or of a kind that is not served: the first is told, the second is not', async () => {
    const own = await stage.company()
    await own.record('clients', { name: 'By the operator' })
    await own.record('trades', { name: 'Roofing' })
    const { changes } = await follow(own, null)
    expect(changes.map(({ records, by }) => [records, by.channel])).toEqual([['clients', 'command']])
  })

  test('one company hears nothing of another, and takes no cursor of it', async () => {
    const [one, other] = [await stage.company(), await stage.company()]
    await one.create('clients', { name: 'Secret' })
    const { next } = await follow(one, null)
    expect((await follow(other, null)).changes).toEqual([])
    expect((await other.get(`/v1/changes?after=${next}`)).body).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
    })
  })
})

describe('Rights are those of the moment', () => {
  test('a resource whose scope or add-on is gone is not told; asked for by name it is refused', async () => {
    const own = await stage.company({ addOns: ['api'], scopes: ['CLIENTS_VIEW', 'EQUIPMENT_VIEW'] })
    expect((await own.get('/v1/changes')).body.meta.records).toEqual(['clients'])
    expect((await own.get('/v1/changes?records=projects')).body).toMatchObject({
      code: 'insufficient_scope',
      required_scope: 'PROJECTS_VIEW',
    })
    expect((await own.get('/v1/changes?records=equipment')).body).toMatchObject({
      code: 'feature_off',
      feature: 'equipment',
    })
  })

  test('each call is counted once, however long it waited', async () => {
    const own = await stage.company()
    const { body } = await own.get('/v1/changes?after=now')
    await own.get(`/v1/changes?after=${body.meta.next}&wait=1`)
    expect((await own.calls()).map(({ route, counted }) => [route, counted])).toEqual([
      ['changes', true],
      ['changes', true],
    ])
  })
})

describe('wait=', () => {
  test('answers as soon as there is something', async () => {
    const own = await stage.company()
    const { body: start } = await own.get('/v1/changes?after=now')
    const waiting = own.get(`/v1/changes?after=${start.meta.next}&wait=30`)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const began = performance.now()
    await own.create('clients', { name: 'Awaited' })
    expect((await waiting).body.data).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(5000)
  })

  test('three hundred callers wait without a connection or a place of the limiter, and all of them hear', async () => {
    const own = await stage.company()
    const { body: start } = await own.get('/v1/changes?after=now')
    // The agent of the stage has fewer connections than that.
    const agent = new Agent()
    const wire = { method: 'GET', path: `/v1/changes?after=${start.meta.next}&wait=30`, agent }
    const headers = [['Authorization', `Bearer ${own.token}`]] as const
    const wait = () => stage.send({ ...wire, headers })
    const waiting: ReturnType<typeof wait>[] = []
    for (const count of [1, 2, 3]) {
      waiting.push(...Array.from({ length: placesMax }, wait))
      await eventually(async () =>
        expect(await stage.app.metrics.text()).toContain(`plumbline_changes_waiting ${count * placesMax}\n`),
      )
    }
    const { total, idle } = stage.app.database.load()
    expect(total - idle).toBeLessThan(3)
    expect((await own.get('/v1/clients')).status).toBe(200)
    await own.create('clients', { name: 'Awaited' })
    for (const { body } of await Promise.all(waiting)) expect(body.data).toHaveLength(1)
  })

  test('a token that is revoked meanwhile hears nothing', async () => {
    const own = await stage.company()
    const { body: start } = await own.get('/v1/changes?after=now')
    const waiting = own.get(`/v1/changes?after=${start.meta.next}&wait=3`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await own.revoke()
    await own.record('clients', { name: 'C' })
    expect((await waiting).body.code).toBe('unauthorized')
  })
})

describe('A cursor that cannot go on', () => {
  test.each(['x', 'MS4x', 'now2'])('%s is none', async (cursor) => {
    const own = await stage.company()
    expect((await own.get(`/v1/changes?after=${cursor}`)).body).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
    })
  })

  test('is refused at once, however long the caller would wait for a change.', async () => {
    const own = await stage.company()
    const cursor = cursorOf(own.id, { epoch: 99, pos: '1', id: 0, line: null })
    const began = performance.now()
    expect((await own.get(`/v1/changes?after=${cursor}&wait=30`)).body).toMatchObject({ code: 'cursor_gone' })
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  const whole = {
    ...{ json: '', places: [], more: false, first_epoch: null, first_pos: null, kept_epoch: null, kept_pos: null },
    ...{ next_epoch: null, next_pos: null, next_id: null, start_epoch: 2, start_pos: '500', start_id: 0 },
    ...{ start_line: 22, issued_epoch: 2, epoch: 2, line: 22, horizon: '600', closed_at: null },
  } satisfies ChangesRow
  const closed = { epoch: 3, line: 33, closed_at: '400' }
  test.each<[string, Partial<ChangesRow>, boolean]>([
    ['of the epoch that goes on', {}, false],
    ['of the epoch that goes on, beyond what can be read', { start_pos: '601' }, true],
    ['of an epoch that is still to come', { start_epoch: 3 }, true],
    ['with a line that the database does not have', { issued_epoch: null }, true],
    ['without a line, of the epoch that goes on', { start_line: null, issued_epoch: null }, false],
    ['of a closed epoch, issued in it, up to its end', { ...closed, closed_at: '500' }, false],
    ['of a closed epoch, issued in it, behind an id at its end', { ...closed, closed_at: '500', start_id: 1 }, true],
    ['of a closed epoch, issued in it, beyond its end', closed, true],
    ['of a closed epoch, without a line, beyond its end', { ...closed, start_line: null, issued_epoch: null }, true],
    ['of a closed epoch, with an older line, beyond its end', { ...closed, issued_epoch: 1 }, true],
    ['of a closed epoch, issued in a later one, beyond its end', { ...closed, issued_epoch: 3 }, false],
  ])('%s: %j, gone: %s', (_, row, gone) => {
    expect(isGone({ ...whole, ...row })).toBe(gone)
  })

  test('carries its line under its check: a line that was changed makes it no cursor.', () => {
    const cursor = { epoch: 2, pos: '500', id: 7, line: 4_294_967_295 }
    const text = cursorOf(1, cursor)
    expect(readCursor(1, text)).toEqual(cursor)
    expect(readCursor(1, cursorOf(1, { ...cursor, line: null }))).toEqual({ ...cursor, line: null })
    const forged = Buffer.from(text, 'base64url').toString('latin1').replace('4294967295', '4294967294')
    expect(() => readCursor(1, Buffer.from(forged).toString('base64url'))).toThrow(Refusal)
  })

  test('after which a change is older than changes are told: 410, and the way on', async () => {
    const own = await stage.company()
    const { next: start } = await readChanges(stage.app.database, {
      ...{ companyId: own.id, after: 'now', limit: 1, keptDays: 30 },
    })
    await own.create('clients', { name: 'Old' })
    const { next } = await follow(own, start)
    await own.get('/v1/changes?after=now')
    const table = stage.connection.workers ? 'company_marks' : 'log_marks'
    const marks = await marked(`select epoch, pos::text, at::text from ${table}`)
    const setTime = (epoch: unknown, pos: unknown, at: string) =>
      marked(`update ${table} set at = $3::timestamptz where epoch = $1 and pos = $2::text::xid8`, epoch, pos, at)
    const monthAgo = (at: unknown): string => new Date(Date.parse(String(at)) - 31 * 24 * 3600 * 1000).toISOString()
    for (const { epoch, pos, at } of marks) await setTime(epoch, pos, monthAgo(at))
    try {
      const { body } = await own.get(`/v1/changes?after=${start}`)
      expect(body).toMatchObject({ status: 410, code: 'cursor_gone', detail: expect.stringContaining('after=now') })
      // Nothing came after this one, however old it is; and without a cursor the feed begins with what is kept.
      expect((await follow(own, next)).changes).toEqual([])
      expect((await follow(own, null)).changes).toEqual([])
      const whole = { companyId: own.id, after: start, limit: 10, keptDays: null }
      expect((await readChanges(stage.app.database, whole)).changes).toHaveLength(1)
    } finally {
      for (const { epoch, pos, at } of marks) await setTime(epoch, pos, String(at))
    }
  })
})

describe('The history of a record', () => {
  test('newest first, in the shape of the feed, page by page and after its deletion', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'A' })
    await patch(own, id, { name: 'B' })
    await own.call('DELETE', `/v1/clients/${id}`)
    const { body } = await own.get(`/v1/clients/${id}/history`)
    expect(body.data).toEqual((await follow(own, null)).changes.toReversed())
    expect(body.meta).toEqual({ total: 3, limit: 50, offset: 0 })
    expect((await own.get(`/v1/clients/${id}/history?limit=1&offset=2`)).body.data).toMatchObject([{ version: 1 }])
    expect((await own.get('/v1/clients/999999/history')).status).toBe(404)
  })

  test('a deletion shows its record whole: members that the resource has got since are null', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'A', notes: 'Kept' })
    const { body } = await own.get(`/v1/clients/${id}`)
    await own.call('DELETE', `/v1/clients/${id}`)
    const removed = () => own.get(`/v1/clients/${id}/history`).then(({ body }) => body.data[0].record)
    expect(Object.keys(await removed())).toEqual(Object.keys(body.data))
    await stage.sql(
      "update history set held = (held::jsonb - 'phone')::json where company_id = $1 and record_id = $2 and held is not null",
      own.id,
      id,
    )
    expect(await removed()).toEqual({ ...body.data, phone: null, updated_at: expect.any(String) })
    const { changes } = await follow(own, null)
    expect(changes.at(-1)?.record).toEqual(await removed())
  })

  test('of what goes along, comes back and is settled, every version has its change', async () => {
    const own = await stage.company()
    const project = await own.create('projects', { name: 'P' })
    await own.create('equipment', { name: 'Crane', project_id: project, status: 'IN_USE' })
    await own.call('DELETE', `/v1/projects/${project}`)
    const { changes } = await follow(own, null)
    const versions = Map.groupBy(changes, ({ records, record_id }) => `${records}/${record_id}`)
    for (const [, those] of versions) expect(those.map(({ version }) => version)).toEqual(those.map((_, at) => at + 1))
    expect([...versions.keys()]).toHaveLength(2)
  })
})

describe('after_id= pages through a list by id', () => {
  test('nothing is passed over when a record of an earlier page is deleted', async () => {
    const own = await stage.company()
    const ids: number[] = []
    for (let count = 0; count < 5; count++) ids.push(await own.create('clients', { name: `C${count}` }))
    const first = await own.get('/v1/clients?after_id=0&limit=2&fields=id')
    await own.call('DELETE', `/v1/clients/${ids[0]}`)
    const second = await own.get(`/v1/clients?after_id=${first.body.data.at(-1).id}&limit=9&fields=id`)
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids)
    expect(second.body.meta.total).toBe(4)
    expect(first.headers.link).toContain(`after_id=${ids[1]}>; rel="next"`)
    expect(second.headers.link).not.toContain('rel="next"')
    const searched = await own.get(`/v1/clients?q=C&after_id=${ids[2]}&fields=id`)
    expect(searched.body.data).toEqual(ids.slice(3).map((id) => ({ id })))
  })

  test.each(['offset=1', 'sort=name'])('it does not go with %s', async (other) => {
    const own = await stage.company()
    const { body } = await own.get(`/v1/clients?after_id=1&${other}`)
    expect(body).toMatchObject({ status: 400, code: 'invalid_parameter' })
  })
})
