import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { setAgentsOf, useRaw } from './stage.ts'

/** Texts of agents, read as forms and files read them, and null for what is not given. */

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  await setAgentsOf(stage, company)
})
afterAll(() => stage.close())

const use = (tool: string, given: JsonObject) => useRaw(stage, company, tool, given)

async function create(records: string, body: JsonObject): Promise<JsonObject> {
  const preview = await use('preview', {
    operations: [{ op: 'create', records, body, id: null, as: null }],
    why: 'asked for',
  })
  if (preview.isError) throw new Error(preview.text)
  const applied = await use('apply', { preview: preview.data.preview })
  const { id } = applied.data.results[0].data
  return (await company.get(`/v1/${records}/${id}`)).body.data
}

describe('An agent may write', () => {
  const rows: [field: string, text: string, value: JsonObject[string]][] = [
    ['credit_limit_minor', '125000', 125000],
    ['payment_terms_days', '30', 30],
    ['status', 'Interessent', 'PROSPECT'],
    ['phone', '\u202a0221\u2011555010\u202c', '0221-555010'],
    ['email', 'mailto:ann@keel.example', 'ann@keel.example'],
    ['website', 'www.keel.example', 'https://www.keel.example'],
    ['notes', 'Mu\u0308ller', 'Müller'],
  ]
  test('the fields of a record as texts, also within an address.', async () => {
    const texts = Object.fromEntries(rows.map(([field, text]) => [field, text]))
    const made = await create('clients', { name: 'Keel', ...texts, billing_address: { country: 'Österreich' } })
    expect(made).toMatchObject(Object.fromEntries(rows.map(([field, , value]) => [field, value])))
    expect(made.billing_address).toMatchObject({ country: 'AT' })
  })

  test('numbers of lines as texts.', async () => {
    const line = { description: 'Wall', quantity: '1.5', unit_price_minor: '8900' }
    const { lines } = await create('estimates', { title: 'Wall', lines: [line] })
    expect(lines).toMatchObject([{ quantity: 1.5, unit_price_minor: 8900 }])
  })

  test('null for what is not given: arguments, members of an operation, and fields that cannot be null.', async () => {
    const { id, status } = await create('clients', { name: 'Null', status: null, email: null })
    expect(status).toBe('ACTIVE')
    const found = await use('find', {
      ...{ records: 'clients', q: 'Null', fields: null, limit: '5', after_id: null },
      where: { status: 'aktiv', category_id: null },
    })
    expect(found.data.data.map((row: JsonObject) => row.id)).toEqual([id])
    expect((await use('get', { records: 'clients', id: String(id), external_ref: null })).data.data).toMatchObject({
      id,
    })
  })
})

describe('A text that can mean two things, or none, is refused and nothing is previewed:', () => {
  const bad: [field: string, text: string][] = [
    ['credit_limit_minor', '1,250.00'],
    ['credit_limit_minor', '$125'],
    ['payment_terms_days', '30 days'],
    ['notes', 'Bell\u0007'],
    ['phone', '1-800-FLOWERS'],
  ]
  test.each(bad)('%s %j', async (field, text) => {
    const operations = [{ op: 'create', records: 'clients', body: { name: 'Bad', [field]: text } }]
    const { isError, text: said } = await use('preview', { operations, why: 'asked for' })
    expect(isError).toBe(true)
    expect(said).toContain(field)
  })

  test('a day whose order nothing decides', async () => {
    const operations = [{ op: 'create', records: 'projects', body: { name: 'Pier', start_date: '03/04/2026' } }]
    expect(await use('preview', { operations, why: 'asked for' })).toMatchObject({ isError: true })
    const day = [{ op: 'create', records: 'projects', body: { name: 'Pier', start_date: '31. März 2026' } }]
    const { data } = await use('preview', { operations: day, why: 'asked for' })
    expect(data.changes[0].fields.start_date).toEqual([null, '2026-03-31'])
  })
})
