import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { personKinds } from '#registry/persons.ts'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { keepPreview } from '#server/service/agent-previews.ts'
import { erasePerson } from '#server/service/erase-person.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { setAgentsOf, useRaw } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function open(settings = {}): Promise<Company> {
  const company = await stage.company()
  await setAgentsOf(stage, company, settings)
  return company
}

async function preview(company: Company, body: JsonObject, why = 'asked for') {
  const operations = [{ op: 'create', records: 'workers', body }]
  return (await useRaw(stage, company, 'preview', { operations, why })).data
}

const apply = async (company: Company, { preview: id }: { preview: string }) =>
  (await useRaw(stage, company, 'apply', { preview: id })).data

const erase = (company: Company, id: number) =>
  stage.inTransaction((transaction) =>
    erasePerson(transaction, company.actor, {
      companyId: company.id,
      kind: personKinds.find(({ name }) => name === 'workers') as (typeof personKinds)[number],
      id,
      reason: 'asked to',
    }),
  )

const rowsOf = (company: Company) =>
  stage.sql<{ state: string; why: string | null; call: unknown; plan: unknown; results: unknown; ended: boolean }>(
    'select state, why, call, plan, results, ended_at is not null as ended from previews where company_id = $1 order by created_at',
    company.id,
  )

test('The erasure of a person empties what every preview says, and ends those that could be applied', async () => {
  const company = await open()
  const applied = await preview(company, { name: 'Zebulon Quill' }, 'Zebulon begins on Monday')
  const { results } = await apply(company, applied)
  const live = await preview(company, { name: 'Zebulon Quill' })
  await erase(company, results[0].data.id)
  const rows = await rowsOf(company)
  expect(JSON.stringify(rows)).not.toContain('Zebulon')
  const emptied = { why: null, call: null, plan: null, results: null, ended: true }
  expect(rows).toEqual([
    { state: 'applied', ...emptied },
    { state: 'declined', ...emptied },
  ])
  expect((await apply(company, live)).state).toBe('declined')
})

test('What was previewed before an erasure is not kept after it', async () => {
  const company = await open()
  const plan = { hash: 'h', total: 0, changes: [], would_delete: [], would_keep: [] }
  const kept = { id: crypto.randomUUID(), token_id: 1, client: null, why: 'Zeb', call: { operations: [] }, plan }
  const worker = await company.create('workers', { name: 'Zebulon Quill' })
  await erase(company, worker)
  const late = stage.inTransaction((transaction) => keepPreview(transaction, company.id, null, kept))
  await expect(late).rejects.toMatchObject({ code: 'unavailable' })
  expect(await rowsOf(company)).toEqual([])
  expect((await preview(company, { name: 'Next' })).preview).toEqual(expect.any(String))
})

test('A preview says what it was about for a week after its end, and its row stays as long as calls do', async () => {
  const company = await open()
  const applied = await preview(company, { name: 'One' })
  await apply(company, applied)
  const unused = await preview(company, { name: 'Two' })
  const recent = await preview(company, { name: 'Three' })
  const ago = (id: string, days: number) =>
    stage.sql(
      `update previews set created_at = now() - make_interval(days => $2), expires_at = now() - make_interval(days => $2),
        ended_at = ended_at - make_interval(days => $2) where id = $1`,
      id,
      days,
    )
  await ago(applied.preview, 8)
  await ago(unused.preview, 8)
  await ago(recent.preview, 6)
  const { toldPreviews, oldPreviews } = choresOf(readConfig({}))
  const run = (chore: typeof toldPreviews) => sweep(stage.app.database, chore, () => false)
  expect(await run(toldPreviews)).toBe(2)
  expect(await run(toldPreviews)).toBe(0)
  const said = await stage.sql<{ id: string }>(
    'select id from previews where company_id = $1 and plan is not null',
    company.id,
  )
  expect(said).toEqual([{ id: recent.preview }])
  const told = await apply(company, applied)
  expect(told).toMatchObject({ state: 'applied', write_id: expect.any(String) })
  expect(told.results).toBeUndefined()
  expect((await apply(company, unused)).state).toBe('expired')

  await ago(applied.preview, 401)
  expect(await run(oldPreviews)).toBe(1)
  expect(await rowsOf(company)).toHaveLength(2)
})

test('Metrics count the previews that can still be applied, by state', async () => {
  await stage.sql('delete from previews')
  const [free, bound] = [await open(), await open({ always: true })]
  await preview(free, { name: 'One' })
  await apply(free, await preview(free, { name: 'Two' }))
  await apply(bound, await preview(bound, { name: 'Three' }))
  const text = await stage.app.metrics.text()
  for (const [state, count] of Object.entries({ open: 1, waiting: 1, approved: 0 }))
    expect(text).toContain(`plumbline_agent_previews{state="${state}"} ${count}\n`)
})
