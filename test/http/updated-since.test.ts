import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { list } from '#sql/records/read.ts'
import { recordsWithoutLogTime } from '../stage/log-times.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/**
 * `updated_since` is answered from the log of changes, or from all records of the company where the log has more than
 * 10,000 changes since the moment. Both ways give what the records themselves say.
 */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** To the microsecond and of one length, so that texts compare as times do. */
const timeText = `to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

type Row = { id: number; name: string; updated_at: string }

const liveProjects = ({ id }: Company): Promise<Row[]> =>
  stage.sql<Row>(
    `select id, name, ${timeText} as updated_at from projects where company_id = $1 and deleted_at is null order by id`,
    id,
  )

/** Adds more changes than are looked up in the log, at a time after all others, of records that are not there. */
const overfillLog = (company: Company, count = 10_001): Promise<unknown> =>
  stage.sql(
    `insert into history (company_id, door, records, record_id, action, at)
    select $1, 'api', 'projects', 9000000 + n, 'erased', '9999-01-01' from generate_series(1, $2::int) n`,
    company.id,
    count,
  )
const relieveLog = ({ id }: Company): Promise<unknown> =>
  stage.sql('delete from history where company_id = $1 and record_id > 9000000', id)

/** Which part of the statement PostgreSQL ran: the records that the log names, or all of them. */
async function wayOf({ id }: Company, moment: string): Promise<string> {
  const projects = definitionOf(registry, 'projects')
  if (!projects) throw new Error('no projects')
  const listing = { filters: {}, words: [], sort: [], limit: 50, offset: 0, updatedSince: moment }
  const { text, values } = list({ companyId: id, lacksRights: [] }, projects, listing)
  const lines = await stage.sql<{ 'QUERY PLAN': string }>(`explain (analyze, costs off) ${text}`, ...values)
  const isSkipped = (alias: RegExp): boolean =>
    lines.some(({ 'QUERY PLAN': line }) => alias.test(line) && line.includes('never executed'))
  if (isSkipped(/on projects r_2\b/)) return 'log'
  expect(isSkipped(/Subquery Scan on r_1\b/)).toBe(true)
  return 'records'
}

/** The whole list, page by page, and each page's total. */
async function readList(company: Company, query: string): Promise<{ ids: number[]; totals: number[] }> {
  const [ids, totals]: [number[], number[]] = [[], []]
  for (let offset = 0; ; offset += 7) {
    const { status, body } = await company.get(`/v1/projects?${query}&limit=7&offset=${offset}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ id }: { id: number }) => id))
    totals.push(body.meta.total)
    if (offset + 7 >= body.meta.total) return { ids, totals: [...new Set(totals)] }
  }
}

async function compareWithRecords(company: Company, moment: string): Promise<void> {
  const since = (await liveProjects(company)).filter(({ updated_at }) => updated_at >= moment)
  const rows: { query: string; expected: Row[] }[] = [
    { query: '', expected: since },
    { query: '&q=wall', expected: since.filter(({ name }) => name.includes('wall')) },
    {
      query: '&sort=-updated_at',
      expected: since.toSorted(
        (one, other) => Number(one.updated_at < other.updated_at) - Number(one.updated_at > other.updated_at),
      ),
    },
  ]
  for (const { query, expected } of rows)
    expect(await readList(company, `updated_since=${moment}${query}`), `${moment}${query}`).toEqual({
      ids: expected.map(({ id }) => id),
      totals: [expected.length],
    })
}

/** Moments around and between the times of the records, in the order of time. */
async function momentsOf(company: Company): Promise<string[]> {
  const times = [...new Set((await liveProjects(company)).map(({ updated_at }) => updated_at))].toSorted()
  return ['2000-01-01T00:00:00.000000Z', ...times, '9998-12-31T00:00:00.000000Z']
}

const name = fc.constantFrom('Quay wall', 'Sea wall', 'Jetty')
const change = fc.oneof(
  fc.record({ op: fc.constant('add' as const), records: fc.constant('projects'), body: fc.record({ name }) }),
  fc.record({
    op: fc.constant('change' as const),
    records: fc.constant('projects'),
    place: fc.nat(),
    body: fc.record({ name }),
  }),
  fc.record({ op: fc.constant('remove' as const), records: fc.constant('projects'), place: fc.nat() }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** A change by a call of its own; `ids` are the live projects. */
async function apply(company: Company, ids: number[], one: Change): Promise<void> {
  if (one.op === 'add' || ids.length === 0) {
    ids.push(await company.create('projects', one.op === 'add' ? one.body : { name: 'Jetty' }))
    return
  }
  const place = one.place % ids.length
  const path = `/v1/projects/${ids[place]}`
  if (one.op === 'remove') ids.splice(place, 1)
  const { status } = await company.call(one.op === 'remove' ? 'DELETE' : 'PATCH', path, {
    ...(one.op === 'change' ? { body: one.body } : {}),
  })
  expect(status).toBe(200)
}

test('After random changes both ways give the same rows, in the same order, with the exact total.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 25 }), fc.nat(), async (changes, seed) => {
      const company = await stage.company()
      const ids: number[] = []
      for (const one of changes) await apply(company, ids, one)
      const { status } = await company.call('POST', '/v1/batch', {
        body: {
          mode: 'all',
          operations: [1, 2, 3].map((n) => ({ op: 'create', records: 'projects', body: { name: `Sea wall ${n}` } })),
        },
        headers: { 'Idempotency-Key': `batch-${company.id}` },
      })
      expect(status).toBe(200)
      expect(await recordsWithoutLogTime(stage.sql)).toEqual([])
      const moments = await momentsOf(company)
      const some = [moments[0], moments[seed % moments.length], moments.at(-2), moments.at(-1)] as string[]
      for (const moment of some) {
        expect(await wayOf(company, moment)).toBe('log')
        await compareWithRecords(company, moment)
      }
      await overfillLog(company)
      for (const moment of some) {
        expect(await wayOf(company, moment)).toBe('records')
        await compareWithRecords(company, moment)
      }
    }),
    { numRuns: 6 },
  )
})

describe('Which way is taken', () => {
  test('depends on the changes since the moment alone: 10,000 are looked up in the log, one more is not.', async () => {
    const company = await stage.company()
    await company.create('projects', { name: 'Quay wall' })
    await overfillLog(company, 9999)
    expect(await wayOf(company, '2000-01-01T00:00:00Z')).toBe('log')
    await overfillLog(company, 1)
    expect(await wayOf(company, '2000-01-01T00:00:00Z')).toBe('records')
    expect(await wayOf(company, '9999-06-01T00:00:00Z')).toBe('log')
    await relieveLog(company)
    expect(await wayOf(company, '2000-01-01T00:00:00Z')).toBe('log')
  })

  test('does not depend on changes of another resource or another company.', async () => {
    const [company, other] = [await stage.company(), await stage.company()]
    await company.create('projects', { name: 'Quay wall' })
    await overfillLog(other)
    await stage.sql(
      "update history set records = 'clients', company_id = $1 where company_id = $2",
      company.id,
      other.id,
    )
    expect(await wayOf(company, '2000-01-01T00:00:00Z')).toBe('log')
    await compareWithRecords(company, '2000-01-01T00:00:00.000000Z')
  })
})

test('A clock that was set back loses no record: the log has the time of the record, whatever that time is.', async () => {
  const company = await stage.company()
  const ids: number[] = []
  for (let count = 0; count < 5; count++) ids.push(await company.create('projects', { name: `Quay wall ${count}` }))
  // As if these had been written while the clock was ahead by an hour, before the ones that follow.
  for (const [table, column] of [
    ['projects', 'updated_at'],
    ['history', 'at'],
  ])
    await stage.sql(`update ${table} set ${column} = ${column} + interval '1 hour' where company_id = $1`, company.id)
  for (let count = 0; count < 5; count++) ids.push(await company.create('projects', { name: `Sea wall ${count}` }))
  await company.call('PATCH', `/v1/projects/${ids[0]}`, { body: { name: 'Jetty' } })
  for (const moment of await momentsOf(company)) {
    expect(await wayOf(company, moment)).toBe('log')
    await compareWithRecords(company, moment)
  }
})

test('A record that is written while another transaction writes is found as soon as it is there.', async () => {
  const company = await stage.company()
  await company.create('projects', { name: 'Quay wall' })
  const [last] = (await momentsOf(company)).slice(-2) as [string]
  // Its time is that of its begin; it commits after a record with a later time.
  await stage.inTransaction(async (slow) => {
    await slow.run({ text: 'select now()', values: [] })
    const later = await company.create('projects', { name: 'Sea wall' })
    await slow.run({
      text: `with made as (
        insert into projects (company_id, name, status) values (${company.id}, 'Old wall', 'ACTIVE') returning company_id, id
      ) insert into history (company_id, door, records, record_id, action, version)
        select company_id, 'api', 'projects', id, 'created', 1 from made`,
      values: [],
    })
    expect((await readList(company, `updated_since=${last}`)).ids).toContain(later)
    await compareWithRecords(company, last)
  })
  await compareWithRecords(company, last)
  expect((await readList(company, `updated_since=${last}`)).totals).toEqual([3])
})
