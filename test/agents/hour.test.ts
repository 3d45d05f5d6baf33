import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { type ConsoleStage, openConsole } from '../console/stage.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import { type Company, patience } from '../stage/stage.ts'
import { setAgentsOf, useRaw } from './stage.ts'

/** The bound of the records that agents change within an hour without a person. */

let stage: ConsoleStage
/** A second process on the same database; it counts with the first. */
let other: Awaited<ReturnType<typeof startProcess>>
const bound = { AGENT_RECORDS_PER_HOUR: '10' }
beforeAll(async () => {
  stage = await openConsole(bound)
  other = await startProcess({
    ...patience,
    ...bound,
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
  })
})
afterAll(async () => {
  await other.stop()
  await stage.close()
})

async function open(settings: Parameters<typeof setAgentsOf>[2] = {}) {
  const { company, ...person } = await stage.admin()
  await setAgentsOf(stage, company, settings)
  return { company, person }
}

const use = async (company: Company, tool: string, given: JsonObject, url = stage.url) => {
  const { isError, data } = await useRaw({ ...stage, url }, company, tool, given)
  if (isError) throw new Error(JSON.stringify(data))
  return data
}

const creates = (count: number, from = 0): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ op: 'create', records: 'clients', body: { name: `Client ${from + n}` } }))

const preview = (company: Company, operations: JsonObject[]) =>
  use(company, 'preview', { operations, why: 'asked for' })

const apply = (company: Company, { preview: id }: { preview: string }, url = stage.url) =>
  use(company, 'apply', { preview: id }, url)

const total = async (company: Company): Promise<number> => (await company.get('/v1/clients')).body.meta.total

describe('Within an hour', () => {
  test('agents change as many records as they may; the next change waits for a person, and the answers say why.', async () => {
    const { company, person } = await open()
    const early = await preview(company, creates(4))
    expect(early).toMatchObject({ needs_person: false, because: [] })
    expect(early).not.toHaveProperty('hour')
    expect(await apply(company, await preview(company, creates(7, 10)))).toMatchObject({ state: 'applied' })

    const why = { needs_person: true, because: ['hourly'], hour: { records: 7, max: 10 } }
    const late = await preview(company, creates(4, 20))
    expect(late).toMatchObject(why)
    // One that needed nobody when it was previewed is judged again.
    for (const one of [early, late]) {
      expect(await apply(company, one)).toMatchObject({ ...why, state: 'waiting', approve_at: expect.any(String) })
      expect(await use(company, 'status', { preview: one.preview })).toMatchObject({ ...why, state: 'waiting' })
    }
    expect(await person.data(`/console/agents/previews/${late.preview}`)).toMatchObject({ because: ['hourly'] })
    expect(await total(company)).toBe(7)
    // What is left can be used.
    expect(await apply(company, await preview(company, creates(3, 30)))).toMatchObject({ state: 'applied' })
    expect(await apply(company, await preview(company, creates(1, 40)))).toMatchObject({ state: 'waiting' })

    const body = { hash: late.hash }
    expect((await person.ask('POST', `/console/agents/previews/${late.preview}/approve`, body)).status).toBe(200)
    expect(await apply(company, late)).toMatchObject({ state: 'applied' })
    expect(await total(company)).toBe(14)
  })

  test('records that a person approved count for nothing, and neither does what is older than an hour.', async () => {
    const { company, person } = await open({ records_max: 2 })
    const many = await preview(company, creates(9))
    expect(await apply(company, many)).toMatchObject({ state: 'waiting', because: ['many'] })
    await person.ask('POST', `/console/agents/previews/${many.preview}/approve`, { hash: many.hash })
    expect(await apply(company, many)).toMatchObject({ state: 'applied' })
    for (let n = 0; n < 5; n++)
      expect(await apply(company, await preview(company, creates(2, 10 + 2 * n)))).toMatchObject({ state: 'applied' })
    const next = await preview(company, creates(1, 30))
    expect(next.because).toEqual(['hourly'])
    await stage.sql(
      "update previews set ended_at = ended_at - interval '61 minutes' where company_id = $1 and ended_at is not null",
      company.id,
    )
    expect(await use(company, 'status', { preview: next.preview })).toMatchObject({ needs_person: false, because: [] })
    expect(await apply(company, next)).toMatchObject({ state: 'applied' })
  })

  test('agents of another company have a bound of their own, and a change of nothing counts for nothing.', async () => {
    const [{ company: one }, { company: another }] = [await open(), await open()]
    expect(await apply(one, await preview(one, creates(10)))).toMatchObject({ state: 'applied' })
    expect((await preview(one, creates(1, 20))).because).toEqual(['hourly'])
    expect((await preview(another, creates(10))).because).toEqual([])
    const { body } = await one.get('/v1/clients?limit=1')
    const [{ id, name }] = body.data
    const same = await preview(one, [{ op: 'update', records: 'clients', id, body: { name } }])
    expect(await apply(one, same)).toMatchObject({ state: 'applied' })
  })

  test('changes that are applied at the same moment, in two processes, are not more than the bound either.', async () => {
    const { company } = await open()
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => preview(company, creates(2, 2 * n))))
    expect(made.map(({ because }) => because)).toEqual(made.map(() => []))
    const answers = await Promise.all(made.map((one, n) => apply(company, one, n % 2 ? other.url : stage.url)))
    const states = answers.map(({ state }) => state).toSorted()
    expect(states).toEqual([...Array(5).fill('applied'), ...Array(15).fill('waiting')])
    expect(await total(company)).toBe(10)
    for (const { state, because, hour } of answers)
      if (state === 'waiting')
        expect({ because, hour }).toEqual({ because: ['hourly'], hour: { records: 10, max: 10 } })
  })

  test('three changes of ten records at the same moment overwrite no more records than the bound.', async () => {
    const { company } = await open()
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, n) => company.create('clients', { name: `Client ${n}` })),
    )
    const made = await Promise.all(
      [0, 1, 2].map((part) =>
        preview(
          company,
          ids
            .slice(part * 10, part * 10 + 10)
            .map((id) => ({ op: 'update', records: 'clients', id, body: { name: 'Overwritten' } })),
        ),
      ),
    )
    const answers = await Promise.all(made.map((one) => apply(company, one)))
    expect(answers.map(({ state }) => state).toSorted()).toEqual(['applied', 'waiting', 'waiting'])
    const [row] = await stage.sql<{ count: number }>(
      "select count(*)::int from clients where company_id = $1 and name = 'Overwritten'",
      company.id,
    )
    expect(row?.count).toBe(10)
  })
})

test('Agents are told of the bound before they reach it.', async () => {
  const { company } = await open()
  const { needs_person_for } = await use(company, 'describe', {})
  expect(needs_person_for.at(-1)).toContain('more than 10 records within an hour')
})
