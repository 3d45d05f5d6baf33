import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
const ids: { [name: string]: number } = {}
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  ids.client = await company.create('clients', { name: 'Client' })
  ids.otherClient = await company.create('clients', { name: 'Other' })
  ids.blocked = await company.create('clients', { name: 'Blocked', status: 'BLOCKED' })
  ids.project = await company.create('projects', { name: 'Project', client_id: ids.client })
  ids.worker = await company.create('workers', { name: 'Worker' })
  ids.projectCategory = await company.record('categories', { name: 'Civil', kind: 'project' })
  ids.clientCategory = await company.record('categories', { name: 'Key', kind: 'client' })
})
afterAll(() => stage.close())

const errorsOf = (body: { errors?: { field: string; code: string }[] }) =>
  (body.errors ?? []).map(({ field, code }) => `${field} ${code}`)

describe('Rules are checked on the record as it would be [V2.2.3]', () => {
  type Row = {
    why: string
    on: string
    start?: () => object
    patch?: () => object
    create?: () => object
    errors: string[]
  }
  const line = { description: 'Work', unit_price_minor: 100 }
  const rows: Row[] = [
    {
      why: 'a project ends after it starts',
      on: 'projects',
      create: () => ({ name: 'P', start_date: '2026-02-01', end_date: '2026-01-31' }),
      errors: ['end_date date_order'],
    },
    {
      why: 'a project may end on the day it starts',
      on: 'projects',
      create: () => ({ name: 'P', start_date: '2026-02-01', end_date: '2026-02-01' }),
      errors: [],
    },
    {
      why: 'also when only the start is patched',
      on: 'projects',
      start: () => ({ name: 'P', start_date: '2026-01-01', end_date: '2026-02-01' }),
      patch: () => ({ start_date: '2026-03-01' }),
      errors: ['end_date date_order'],
    },
    {
      why: 'a BLOCKED client gets no new project',
      on: 'projects',
      create: () => ({ name: 'P', client_id: ids.blocked }),
      errors: ['client_id client_blocked'],
    },
    {
      why: 'nor is one moved to it',
      on: 'projects',
      start: () => ({ name: 'P' }),
      patch: () => ({ client_id: ids.blocked }),
      errors: ['client_id client_blocked'],
    },
    {
      why: 'a category must be one of projects',
      on: 'projects',
      create: () => ({ name: 'P', category_id: ids.clientCategory }),
      errors: ['category_id not_found'],
    },
    {
      why: 'a category of projects fits',
      on: 'projects',
      create: () => ({ name: 'P', category_id: ids.projectCategory }),
      errors: [],
    },
    {
      why: 'a bid becomes active',
      on: 'projects',
      start: () => ({ name: 'P', status: 'BIDDING' }),
      patch: () => ({ status: 'ACTIVE' }),
      errors: [],
    },
    {
      why: 'a bid is not completed',
      on: 'projects',
      start: () => ({ name: 'P', status: 'BIDDING' }),
      patch: () => ({ status: 'COMPLETED' }),
      errors: ['status transition_not_allowed'],
    },
    {
      why: 'what is archived stays so',
      on: 'projects',
      start: () => ({ name: 'P', status: 'ARCHIVED' }),
      patch: () => ({ status: 'ACTIVE' }),
      errors: ['status transition_not_allowed'],
    },
    {
      why: 'a worker who LEFT needs the day',
      on: 'workers',
      create: () => ({ name: 'W', status: 'LEFT' }),
      errors: ['left_on needed_by_status'],
    },
    {
      why: 'the day cannot be taken away',
      on: 'workers',
      start: () => ({ name: 'W', status: 'LEFT', left_on: '2026-01-01' }),
      patch: () => ({ left_on: null }),
      errors: ['left_on needed_by_status'],
    },
    {
      why: 'nobody leaves before being hired',
      on: 'workers',
      create: () => ({ name: 'W', hired_on: '2026-01-02', left_on: '2026-01-01' }),
      errors: ['left_on date_order'],
    },
    {
      why: 'an estimate beyond DRAFT needs a client and a line',
      on: 'estimates',
      create: () => ({ title: 'E', status: 'SENT' }),
      errors: ['client_id needed_by_status', 'lines needed_by_status'],
    },
    {
      why: 'with both it is sent',
      on: 'estimates',
      start: () => ({ title: 'E', client_id: ids.client, lines: [line] }),
      patch: () => ({ status: 'SENT' }),
      errors: [],
    },
    {
      why: 'a draft is not accepted before it is sent',
      on: 'estimates',
      start: () => ({ title: 'E', client_id: ids.client, lines: [line] }),
      patch: () => ({ status: 'ACCEPTED' }),
      errors: ['status transition_not_allowed'],
    },
    {
      why: 'an estimate is valid from its issue on',
      on: 'estimates',
      create: () => ({ title: 'E', issue_date: '2026-02-02', valid_until: '2026-02-01' }),
      errors: ['valid_until date_order'],
    },
    {
      why: 'its project is a project of its client',
      on: 'estimates',
      create: () => ({ title: 'E', client_id: ids.otherClient, project_id: ids.project }),
      errors: ['project_id not_of_client'],
    },
    {
      why: 'also when only the client is patched',
      on: 'estimates',
      start: () => ({ title: 'E', client_id: ids.client, project_id: ids.project }),
      patch: () => ({ client_id: ids.otherClient }),
      errors: ['project_id not_of_client'],
    },
    {
      why: 'what is ACCEPTED is locked',
      on: 'estimates',
      start: () => ({ title: 'E', client_id: ids.client, lines: [line], status: 'ACCEPTED' }),
      patch: () => ({ title: 'F', lines: [] }),
      errors: ['title locked', 'lines locked'],
    },
    {
      why: 'but for notes and external_ref',
      on: 'estimates',
      start: () => ({ title: 'E', client_id: ids.client, lines: [line], status: 'ACCEPTED' }),
      patch: () => ({ notes: 'signed', external_ref: crypto.randomUUID() }),
      errors: [],
    },
    {
      why: 'its status cannot go back',
      on: 'estimates',
      start: () => ({ title: 'E', client_id: ids.client, lines: [line], status: 'ACCEPTED' }),
      patch: () => ({ status: 'SENT' }),
      errors: ['status transition_not_allowed'],
    },
    {
      why: 'a quantity is above zero with at most four decimals',
      on: 'estimates',
      create: () => ({
        title: 'E',
        lines: [
          { description: 'a', quantity: 0 },
          { description: 'b', quantity: 0.00001 },
        ],
      }),
      errors: ['lines[0].quantity out_of_range', 'lines[1].quantity wrong_format'],
    },
    {
      why: 'at most 500 lines',
      on: 'estimates',
      create: () => ({ title: 'E', lines: Array.from({ length: 501 }, () => line) }),
      errors: ['lines too_long'],
    },
    {
      why: 'the lines add up to what can be counted',
      on: 'estimates',
      create: () => ({ title: 'E', lines: [{ description: 'a', quantity: 2, unit_price_minor: 9e15 }] }),
      errors: ['lines out_of_range'],
    },
    {
      why: 'equipment IN_USE needs a project',
      on: 'equipment',
      create: () => ({ name: 'Q', status: 'IN_USE' }),
      errors: ['project_id needed_by_status'],
    },
    {
      why: 'the meter never falls',
      on: 'equipment',
      start: () => ({ name: 'Q', meter_hours: 10.5 }),
      patch: () => ({ meter_hours: 10.4 }),
      errors: ['meter_hours may_not_fall'],
    },
    {
      why: 'nor is it cleared',
      on: 'equipment',
      start: () => ({ name: 'Q', meter_hours: 10.5 }),
      patch: () => ({ meter_hours: null }),
      errors: ['meter_hours may_not_fall'],
    },
    {
      why: 'it rises',
      on: 'equipment',
      start: () => ({ name: 'Q', meter_hours: 10.5 }),
      patch: () => ({ meter_hours: 10.51 }),
      errors: [],
    },
    {
      why: 'a percentage has at most four decimals',
      on: 'subcontractors',
      create: () => ({ name: 'S', retention_pct: 5.12345 }),
      errors: ['retention_pct wrong_format'],
    },
    {
      why: 'a rating is from 1 to 5',
      on: 'subcontractors',
      create: () => ({ name: 'S', rating: 6 }),
      errors: ['rating out_of_range'],
    },
    {
      why: 'a day must be in the calendar',
      on: 'subcontractors',
      create: () => ({ name: 'S', license_expires_on: '2027-02-29' }),
      errors: ['license_expires_on wrong_format'],
    },
    {
      why: '29 February of a leap year is',
      on: 'subcontractors',
      create: () => ({ name: 'S', license_expires_on: '2028-02-29' }),
      errors: [],
    },
    {
      why: 'the year 0 is not',
      on: 'subcontractors',
      create: () => ({ name: 'S', license_expires_on: '0000-01-01' }),
      errors: ['license_expires_on wrong_format'],
    },
  ]
  test.each(rows)('$why', async ({ on, start, patch, create, errors }) => {
    const answer = create
      ? await company.call('POST', `/v1/${on}`, { body: create() })
      : await company.call('PATCH', `/v1/${on}/${await company.create(on, start?.() ?? {})}`, { body: patch?.() })
    expect(errorsOf(answer.body)).toEqual(errors)
    expect(answer.status).toBe(errors.length > 0 ? 422 : create ? 201 : 200)
  })
})

describe('Steps of a status: every pair is allowed or refused as the definition says [V2.3.1]', () => {
  const pairs = registry
    .filter(({ served }) => served)
    .flatMap(({ name, fields }) => {
      const status = fields.status
      if (status?.kind !== 'choice' || !status.moves) return []
      return status.values.flatMap((from) =>
        status.values.map((to) => ({ name, from, to, ok: from === to || status.moves?.[from]?.includes(to) })),
      )
    })
  test.each(pairs)('$name $from → $to', async ({ name, from, to, ok }) => {
    const title = definitionOf(registry, name)?.title as string
    const complete = name === 'estimates' ? { client_id: ids.client, lines: [{ description: 'x' }] } : {}
    const id = await company.create(name, { [title]: 'Step', status: from, ...complete })
    const { status } = await company.call('PATCH', `/v1/${name}/${id}`, { body: { status: to } })
    expect(status).toBe(ok ? 200 : 422)
  })
})

describe('Supervisors form a tree', () => {
  test('nobody supervises himself, directly or in a circle', async () => {
    const [a, b, c] = [
      await company.create('workers', { name: 'A' }),
      await company.create('workers', { name: 'B' }),
      await company.create('workers', { name: 'C' }),
    ]
    const set = (id: number, supervisor_id: number) =>
      company.call('PATCH', `/v1/workers/${id}`, { body: { supervisor_id } })
    expect(errorsOf((await set(a, a)).body)).toEqual(['supervisor_id cycle'])
    expect((await set(b, a)).status).toBe(200)
    expect((await set(c, b)).status).toBe(200)
    expect(errorsOf((await set(a, c)).body)).toEqual(['supervisor_id cycle'])
  })

  test('two callers who hang each under the other at once cannot close a circle', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await company.create('workers', { name: 'A' }), await company.create('workers', { name: 'B' })]
      const answers = await Promise.all([
        company.call('PATCH', `/v1/workers/${a}`, { body: { supervisor_id: b } }),
        company.call('PATCH', `/v1/workers/${b}`, { body: { supervisor_id: a } }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
    }
  })
})

describe('Unique values: per company, among live records, ignoring case', () => {
  const rows = [
    { on: 'projects', field: 'code', value: 'Ab-1' },
    { on: 'workers', field: 'employee_no', value: 'Ab-1' },
    { on: 'workers', field: 'email', value: 'Ab@x.example' },
    { on: 'clients', field: 'tax_id', value: 'Ab-1' },
    { on: 'estimates', field: 'number', value: 'Ab-1' },
    { on: 'subcontractors', field: 'tax_id', value: 'Ab-1' },
    { on: 'equipment', field: 'serial_number', value: 'Ab-1' },
    { on: 'equipment', field: 'external_ref', value: 'Ab-1' },
  ]
  test.each(rows)('$on.$field', async ({ on, field, value }) => {
    const title = definitionOf(registry, on)?.title as string
    const [own, other] = [await stage.company(), await stage.company()]
    const first = await own.create(on, { [title]: 'First', [field]: value })
    const second = { [title]: 'Second', [field]: value.toUpperCase() }
    expect(errorsOf((await own.call('POST', `/v1/${on}`, { body: second })).body)).toEqual([`${field} not_unique`])
    expect((await other.call('POST', `/v1/${on}`, { body: second })).status).toBe(201)
    expect((await own.call('PATCH', `/v1/${on}/${first}`, { body: { [field]: value.toLowerCase() } })).status).toBe(200)
    await own.call('DELETE', `/v1/${on}/${first}`)
    expect((await own.call('POST', `/v1/${on}`, { body: second })).status).toBe(201)
  })

  test('of twenty concurrent creates with one code, one succeeds', async () => {
    const own = await stage.company()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => own.call('POST', '/v1/projects', { body: { name: 'P', code: 'ONE' } })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'validation_failed')).toHaveLength(19)
  })
})

describe('Estimates', () => {
  test('are numbered when no number is given, passing over those given by hand', async () => {
    const own = await stage.company()
    await own.create('estimates', { title: 'By hand', number: 'est-000002' })
    const made = await Promise.all(Array.from({ length: 5 }, () => own.create('estimates', { title: 'Numbered' })))
    const numbers = await Promise.all(made.map(async (id) => (await own.get(`/v1/estimates/${id}`)).body.data.number))
    expect(numbers.toSorted()).toEqual(['EST-000001', 'EST-000003', 'EST-000004', 'EST-000005', 'EST-000006'])
  })

  test('are totalled exactly: each line, the discount and the tax rounded once, half up', async () => {
    const id = await company.create('estimates', {
      title: 'Sums',
      lines: [
        { description: 'a', quantity: 0.3333, unit_price_minor: 1000 },
        { description: 'b', quantity: 2.5, unit_price_minor: 1 },
        { description: 'c' },
      ],
      discount_pct: 2.5,
      tax_pct: 19.25,
    })
    const { data } = (await company.get(`/v1/estimates/${id}`)).body
    expect(data).toMatchObject({ subtotal_minor: 336, discount_minor: 8, tax_minor: 63, total_minor: 391 })
    expect(data.lines[2]).toEqual({ description: 'c', quantity: 1, unit: null, unit_price_minor: 0 })
  })
})
