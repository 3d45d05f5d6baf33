import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { openOutbound } from '#server/outbound/outbound.ts'
import { removeWebhook } from '#server/service/webhooks.ts'
import { openAttempt } from '#server/webhooks/attempts.ts'
import { sendTest } from '#server/webhooks/delivery.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { companiesThatSend, freeAttempts } from '#sql/system/webhook-room.ts'
import type { Company } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'
import { type Behaviour, openReceiver, type Receiver } from './receiver.ts'
import { type HookStage, openHookStage } from './stage.ts'

/** What attempts keep is bounded, whatever receivers answer: for an event, for a row, for a company. */
let stage: HookStage
let receiver: Receiver
let own: Company
beforeAll(async () => {
  stage = await openHookStage({ WEBHOOK_TIMEOUT_MS: '300' })
})
afterAll(() => stage.close())
beforeEach(async () => {
  stage.ahead(0)
  await stage.sql(
    "update webhook_endpoints set disabled_at = now(), disabled_because = 'by_hand' where disabled_at is null",
  )
  await stage.sql('delete from webhook_attempts')
  own = await stage.company()
  receiver = await openReceiver()
  return () => receiver.close()
})

/** Text that no compression makes shorter. */
const noise = (bytes: number): string => randomBytes((bytes * 3) / 4).toString('base64')
const huge = noise(64 * 1024)
const largeHeaders = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`x-${n}`, noise(1000)]))
const by = () => ({ actor: own.actor, keys: stage.app.secret, now: stage.app.clock.now() })
const number = async (text: string, ...values: unknown[]): Promise<number> =>
  Number((await stage.sql<{ n: number }>(text, ...values))[0]?.n)
const attemptsOf = (id: number) =>
  stage.sql<{ id: number; event: string; status: number | null; bytes: number; at: Date }>(
    'select * from webhook_attempts where endpoint_id = $1 order by id',
    id,
  )
const isStopped = () => false
/** A machine that is busy otherwise must not make failures of a receiver that is well. */
async function sendPatiently(): Promise<void> {
  const { config } = stage.app
  const outbound = openOutbound({ networks: config.webhookNetworks, timeout: 15_000 })
  const patient = { ...stage.app, config: { ...config, webhookTimeout: 15_000 }, outbound }
  while ((await sendDue(patient)) > 0) {
    // The next.
  }
}
const chores = choresOf(readConfig({}))
const keepBudget = (bytes: number) =>
  sweep(
    stage.app.database,
    choresOf({ ...readConfig({}), webhookAttemptsBytes: bytes, webhookAttemptsKeptDays: 1 }).fullWebhookBudget,
    isStopped,
  )

/** Writes clients, until all of it can be told. */
async function batchOf(count: number, notes: () => string): Promise<void> {
  const operations = Array.from({ length: count }, (_, n) => ({
    ...{ op: 'create', records: 'clients' },
    body: { name: `C${n}`, notes: notes() },
  }))
  const { status } = await own.call('POST', '/v1/batch', { body: { mode: 'all', operations } })
  expect(status).toBe(200)
  await stage.visible()
  await untilTold(stage)
}

/** Rows that were written long ago, without sending anything. */
const fill = (company: Company, endpoint: number, count: number, status: number, bytes = 1000) =>
  stage.sql(
    `insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, by_hand, ms, status, request_headers,
      request_body, request_bytes, bytes)
    select $1, $2, now() - interval '1 hour' + n * interval '1 second', 'clients.created', 'evt_1_' || n, false, 1, $3, '{}', '', 1, $4
    from generate_series(1, $5::int) n`,
    company.id,
    endpoint,
    status,
    bytes,
    count,
  )

describe('An attempt', () => {
  const rows: { what: string; how: Behaviour; status: number | null; bytesMax: number }[] = [
    { what: 'a success with a huge answer', how: { status: 200, body: huge }, status: 200, bytesMax: 1024 },
    {
      what: 'a failure with huge headers and body',
      how: { status: 500, headers: largeHeaders, body: huge },
      status: 500,
      bytesMax: 7 * 1024,
    },
    {
      what: 'a failure whose body never ends',
      how: { status: 503, body: huge, goesOn: true },
      status: 503,
      bytesMax: 7 * 1024,
    },
    {
      what: 'a success whose body never ends',
      how: { status: 200, body: 'x', goesOn: true },
      status: 200,
      bytesMax: 1024,
    },
    { what: 'a receiver that is silent', how: 'hang', status: null, bytesMax: 1024 },
    { what: 'a receiver that closes', how: 'close', status: null, bytesMax: 1024 },
    {
      what: 'an answer of NULs and halves of characters',
      how: { status: 400, body: Buffer.from('\0\xff€'.repeat(20_000), 'latin1') },
      status: 400,
      bytesMax: 7 * 1024,
    },
  ]
  test.each(rows)('of $what takes at most $bytesMax bytes, and says how many', async ({ how, status, bytesMax }) => {
    const { id } = await stage.hook(own, receiver.url)
    receiver.behave(() => how)
    await batchOf(1, () => noise(3000))
    await stage.sendAll()
    const [row] = await stage.sql<{
      size: number
      bytes: number
      status: number | null
      body: number
      headers: number
    }>(
      `select pg_column_size(a.*)::int as size, bytes, status, octet_length(answer_body) as body,
        octet_length(answer_headers::text) as headers from webhook_attempts a where endpoint_id = $1`,
      id,
    )
    expect(row?.status).toBe(status)
    expect(row?.size).toBeLessThanOrEqual(bytesMax)
    expect(row?.bytes).toBeLessThanOrEqual(bytesMax)
    expect(row?.body ?? 0).toBeLessThanOrEqual(4096)
    expect(row?.headers ?? 0).toBeLessThanOrEqual(2048)
  })

  test('waits as long as the receiver asks, where that stands behind more headers than are kept', async () => {
    const { id } = await stage.hook(own, receiver.url)
    receiver.behave(() => ({ status: 503, headers: { ...largeHeaders, 'Retry-After': '120' } }))
    await batchOf(1, () => 'Quay')
    const before = stage.app.clock.now().getTime()
    await stage.sendAll()
    const { next_attempt_at } = await stage.state(id)
    expect((next_attempt_at?.getTime() ?? 0) - before).toBeGreaterThan(119_000)
  })

  test('is shown to who may not see all of it without the rest, its exact length, and the answer, which may repeat it', async () => {
    const { id } = await stage.hook(own, receiver.url)
    receiver.behave(({ text, type }) => ({ status: type === 'workers.created' ? 422 : 204, body: text }))
    await own.create('clients', { name: 'Seen' })
    await own.create('workers', { name: 'Ana', hourly_cost_minor: 987_654_321 })
    await stage.sendAll()
    const rows = await attemptsOf(id)
    const [client, worker] = ['clients.created', 'workers.created'].map((event) =>
      rows.find((row) => row.event === event),
    )
    const open = (one: typeof worker, lacks: string[]) => openAttempt(stage.app, own.id, one?.id as number, lacks)
    const whole = await open(worker, [])
    expect(whole.answer_body).toContain('987654321')
    expect(whole.request_bytes).toBe(Buffer.byteLength(whole.request_body ?? ''))
    const cut = await open(worker, ['PAY_VIEW'])
    expect(JSON.stringify(cut)).not.toContain('987654321')
    expect(cut).toMatchObject({ request_is: 'same', answer_headers: null, answer_body: null, answer_cut: true })
    expect(cut.request_bytes).toBe(Math.ceil(whole.request_bytes / 64) * 64)
    // A message with nothing that is withheld is shown as to everybody.
    expect(await open(client, ['PAY_VIEW'])).toEqual(await open(client, []))
  })

  test('is shown as it was sent, without signatures, until the record changes, and afterwards as what it is not', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const client = await own.create('clients', { name: 'Quay' })
    await stage.visible()
    await stage.sendAll()
    const [row] = await attemptsOf(id)
    const open = () => openAttempt(stage.app, own.id, row?.id as number)
    const [got] = receiver.got
    const opened = await open()
    expect(opened).toMatchObject({ request_is: 'same', request_body: got?.text, request_cut: false })
    expect(opened.request_bytes).toBe(Buffer.byteLength(got?.text ?? ''))
    const { 'webhook-signature': _, ...sent } = got?.headers ?? {}
    expect(sent).toMatchObject(opened.request_headers)
    expect(Object.keys(opened.request_headers).toSorted()).toEqual(
      ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'].toSorted(),
    )

    await own.call('PATCH', `/v1/clients/${client}`, { body: { notes: 'Changed' } })
    await stage.visible()
    const changed = await open()
    expect(changed.request_is).toBe('changed')
    expect(JSON.parse(changed.request_body ?? '')).toMatchObject({ data: { record: { notes: 'Changed' } } })

    await stage.sql("delete from history where company_id = $1 and records = 'clients'", own.id)
    expect(await open()).toMatchObject({ request_is: 'gone', request_body: null, arrived: true })
    expect((await open()).request_headers['webhook-id']).toBe(got?.id)
  })

  test('in the thin form does not change with its record; a test keeps its body', async () => {
    const { id } = await stage.hook(own, receiver.url, { payload: 'thin' })
    const client = await own.create('clients', { name: 'Quay' })
    await stage.visible()
    await stage.sendAll()
    await own.call('PATCH', `/v1/clients/${client}`, { body: { notes: 'Changed' } })
    const [row] = await attemptsOf(id)
    const opened = await openAttempt(stage.app, own.id, row?.id as number)
    expect(opened).toMatchObject({ request_is: 'same', request_body: receiver.got[0]?.text })
    const tested = await sendTest(stage.app, own.id, id)
    expect(tested).toMatchObject({ request_is: 'same', request_body: receiver.got.at(-1)?.text, answer_body: null })
    const [{ size } = { size: 0 }] = await stage.sql<{ size: number }>(
      'select max(pg_column_size(a.*))::int as size from webhook_attempts a where endpoint_id = $1',
      id,
    )
    expect(size).toBeLessThanOrEqual(1024)
  })

  test('of an earlier version is shown without what it kept, and the sweep empties it', async () => {
    const { id } = await stage.hook(own, receiver.url)
    // As the statement of that version has it.
    await stage.sql(
      `insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, after, by_hand, ms, status, failure,
        detail, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_cut)
      select $1, $2, now(), 'clients.created', 'evt_1_' || n, '{"epoch":1,"pos":"800","id":4711}', false, 1, 500, null, null,
        '{"webhook-signature":"v1,old"}', $3, 65536, '{"x":"old"}', $3, true from generate_series(1, 30) n`,
      own.id,
      id,
      huge,
    )
    const show = async () => openAttempt(stage.app, own.id, (await attemptsOf(id))[0]?.id as number)
    const before = await show()
    expect(before).toMatchObject({ request_is: 'gone', request_body: null, answer_headers: null, answer_body: null })
    expect(JSON.stringify(before)).not.toContain('old')
    expect(await sweep(stage.app.database, chores.olderAttempts, isStopped)).toBe(30)
    expect(await sweep(stage.app.database, chores.olderAttempts, isStopped)).toBe(0)
    expect(
      await number('select max(pg_column_size(a.*)) as n from webhook_attempts a where endpoint_id = $1', id),
    ).toBeLessThan(1024)
    expect(await show()).toEqual({ ...before, answer_cut: false })
  })
})

describe('A company', () => {
  const sizeOf = (tables: string) =>
    number(`select sum(pg_total_relation_size(t)) as n from unnest('{${tables}}'::regclass[]) t`)
  const log = () => number("select pg_current_wal_lsn() - '0/0' as n")

  test('whose receivers answer 64 KiB to each of its webhooks takes at most 1 KiB of tables and 3 KiB of log for an event', async () => {
    const hooks = 6
    const tables = 'webhook_attempts,webhook_endpoints'
    receiver.behave(() => ({ status: 200, body: huge }))
    for (let count = 0; count < hooks; count++) await stage.hook(own, receiver.url, { ordered: count % 2 === 0 })
    await batchOf(80, () => noise(3000))
    const before = { disk: await sizeOf(tables), log: await log() }
    await sendPatiently()
    expect(new Set(receiver.taken()).size).toBe(80)
    const events = receiver.got.length
    expect(events).toBeGreaterThanOrEqual(80 * hooks)
    const disk = ((await sizeOf(tables)) - before.disk) / events
    const written = ((await log()) - before.log) / events
    console.log(`${Math.round(disk)} bytes of tables and ${Math.round(written)} of log for each delivered event`)
    expect(disk).toBeLessThan(1024)
    // The first change of a page after a checkpoint writes the page whole.
    expect(written).toBeLessThan(3 * 1024)
    // What the budget counts is what there is on the disk, within half of it.
    const counted = await number('select sum(bytes) as n from webhook_attempts where company_id = $1', own.id)
    const size = await sizeOf('webhook_attempts')
    expect(counted).toBeLessThan(1.5 * size)
  })

  test('that has too many loses the oldest successes, then the oldest failures, and is told from when on all are there', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const quiet = await stage.hook(own, receiver.url)
    await fill(own, id, 3000, 200)
    await fill(own, id, 500, 500)
    await fill(own, quiet.id, 10, 500)
    const kept = async () =>
      stage.sql<{ status: number; n: number }>(
        'select status, count(*)::int as n from webhook_attempts where company_id = $1 group by 1 order by 1',
        own.id,
      )
    const from = async (endpoint: number) =>
      (
        await stage.sql<{ at: Date | null }>(
          'select attempts_from as at from webhook_endpoints where id = $1',
          endpoint,
        )
      )[0]?.at
    expect(await keepBudget(4_000_000)).toBe(0)
    expect(await keepBudget(1_000_000)).toBe(2510)
    expect(await kept()).toEqual([
      { status: 200, n: 490 },
      { status: 500, n: 510 },
    ])
    const [oldest] = await stage.sql<{ at: Date }>(
      'select min(at) as at from webhook_attempts where endpoint_id = $1 and status = 200',
      id,
    )
    const since = (await from(id))?.getTime() ?? 0
    expect((oldest?.at.getTime() ?? 0) - since).toBe(1000)
    expect(await from(quiet.id)).toBeNull()

    expect(await keepBudget(100_000)).toBe(900)
    expect(await kept()).toEqual([{ status: 500, n: 100 }])
    expect(await keepBudget(100_000)).toBe(0)
    expect(await keepBudget(0)).toBe(100)
  })

  test('is sent its events while it is far over its budget, and sweeps beside each other take nothing twice', async () => {
    const { id } = await stage.hook(own, receiver.url)
    await fill(own, id, 9000, 200)
    await batchOf(20, () => 'Quay')
    // A sweep holds the webhook for a moment, and it is passed over meanwhile.
    const sendAll = async (): Promise<void> => {
      while (new Set(receiver.taken()).size < 20) await sendPatiently()
    }
    await Promise.all([sendAll(), keepBudget(100_000), keepBudget(100_000), keepBudget(100_000)])
    expect(new Set(receiver.taken()).size).toBe(20)
    await keepBudget(100_000)
    const counted = await number('select sum(bytes) as n from webhook_attempts where company_id = $1', own.id)
    expect(counted).toBeLessThanOrEqual(100_000)
    // Rows have 1,000 bytes: one more would have been too much.
    expect(counted).toBeGreaterThan(99_000 - 1000)
    expect(await stage.state(id)).toMatchObject({ failing_since: null, next_attempt_at: null })
  })

  test('loses nothing by the budget of another, whose rows its own sweep does not read', async () => {
    const mine = await stage.hook(own, receiver.url)
    const other = await stage.company()
    const theirs = await stage.hook(other, receiver.url)
    await fill(own, mine.id, 20, 200)
    await fill(other, theirs.id, 20_000, 200)
    // The index alone says what there is: as many pages as the small company has, whatever the others have.
    const { text, values } = freeAttempts(own.id, 10_000, 1000)
    const [plan] = await stage.inTransaction(async (transaction) => {
      const rows = await transaction.run<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
        text: `explain (analyze, buffers, format json) ${text}`,
        values,
      })
      return rows.map((row) => row['QUERY PLAN'][0].Plan)
    })
    expect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)).toBeLessThan(300)
    expect(await number('select count(*) as n from webhook_attempts where company_id = $1', other.id)).toBe(20_000)
  })

  test('gets the room of a webhook back that it deletes', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const stays = await stage.hook(own, receiver.url)
    await fill(own, id, 2500, 200)
    await fill(own, stays.id, 5, 200)
    const free = () => sweep(stage.app.database, chores.deletedWebhooks, isStopped)
    await free()
    expect(await attemptsOf(id)).toHaveLength(2500)
    await stage.inTransaction((transaction) => removeWebhook(transaction, by(), id))
    expect(await free()).toBe(2500)
    expect(await attemptsOf(id)).toHaveLength(0)
    expect(await attemptsOf(stays.id)).toHaveLength(5)
    expect(await free()).toBe(0)
  })
})

test('Only companies that have sent lately are looked at each minute, and each of them once', async () => {
  const [one, two] = [await stage.hook(own, receiver.url), await stage.hook(own, receiver.url)]
  const late = await stage.company()
  const old = await stage.hook(late, receiver.url)
  for (const { id } of [one, two]) await fill(own, id, 3600, 200)
  await fill(late, old.id, 100, 200)
  const found = (seconds: number) =>
    stage.app.database.read<{ id: number }>(companiesThatSend(seconds, own.id - 1, 1000))
  expect(await found(600)).toEqual([{ id: own.id }])
  expect(await found(86_400)).toEqual([{ id: own.id }, { id: late.id }])
})
