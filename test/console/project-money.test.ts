import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { fillAll } from '#server/jobs/fills.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
let worker_id: number
let equipment_id: number
let client_id: number
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  client_id = await create('clients', { name: 'Keel' })
  worker_id = await create('workers', { name: 'Grace', hourly_cost_minor: 3333 })
  equipment_id = await create('equipment', { name: 'Digger', daily_rate_minor: 12_345 })
})
afterAll(() => stage.close())

async function create(records: string, body: JsonObject): Promise<number> {
  const answer = await admin.ask('POST', `/console/records/${records}`, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.id
}
const fetch = (records: string, id: number) => admin.data(`/console/records/${records}/${id}`)
const costOf = async (records: string, id: number) => (await fetch(records, id)).cost_minor
const patch = (records: string, id: number, body: JsonObject) =>
  admin.ask('PATCH', `/console/records/${records}/${id}`, body)
const lines = (amount: number) => [{ description: 'Wall', unit_price_minor: amount }]
const work = (project_id: number, body: JsonObject) =>
  create('time_entries', { worker_id, project_id, worked_on: '2026-03-02', hours: 7.5, ...body })
const use = (project_id: number | null, body: JsonObject = {}) =>
  create('equipment_logs', { equipment_id, project_id, logged_on: '2026-03-02', ...body })
const rateOf = (records: string, id: number, body: JsonObject) => patch(records, id, body)

describe('What hours cost is fixed while they are approved', () => {
  test('by the hourly cost of then, rounded once, half up, and taken away with the approval', async () => {
    const project = await create('projects', { name: 'Hours' })
    const entry = await work(project, {})
    expect(await costOf('time_entries', entry)).toBeNull()
    await patch('time_entries', entry, { status: 'APPROVED' })
    // 7.5 × 3333 = 24997.5
    expect(await costOf('time_entries', entry)).toBe(24_998)
    await rateOf('workers', worker_id, { hourly_cost_minor: 4000 })
    const other = await work(project, { status: 'APPROVED' })
    expect([await costOf('time_entries', entry), await costOf('time_entries', other)]).toEqual([24_998, 30_000])
    await patch('time_entries', entry, { status: 'DRAFT' })
    expect(await costOf('time_entries', entry)).toBeNull()
    await rateOf('workers', worker_id, { hourly_cost_minor: 3333 })
  })

  test('A cost is sent by nobody, and seen with PAY_VIEW alone.', async () => {
    const project = await create('projects', { name: 'Pay' })
    const entry = await work(project, { status: 'APPROVED' })
    const sent = await patch('time_entries', entry, { cost_minor: 1 })
    expect(sent.body.errors).toMatchObject([{ field: 'cost_minor', code: 'read_only' }])
    const foreman = await stage.person(
      admin.company,
      permissions.filter((one) => one !== 'PAY_VIEW'),
    )
    expect(await foreman.data(`/console/records/time_entries/${entry}`)).not.toHaveProperty('cost_minor')
    const [last] = await foreman.data(`/console/records/time_entries/${entry}/history`)
    expect(JSON.stringify(last)).not.toContain('cost_minor')
  })

  test('A worker without an hourly cost gives none.', async () => {
    const project = await create('projects', { name: 'Unpaid' })
    const unpaid = await create('workers', { name: 'Unpaid' })
    expect(await costOf('time_entries', await work(project, { worker_id: unpaid, status: 'APPROVED' }))).toBeNull()
  })
})

describe('What a day of use costs is the daily rate of then', () => {
  test('of a use and of no service, and anew where it is of another piece', async () => {
    const [used, serviced] = [await use(null), await use(null, { type: 'SERVICE' })]
    expect([await costOf('equipment_logs', used), await costOf('equipment_logs', serviced)]).toEqual([12_345, null])
    await rateOf('equipment', equipment_id, { daily_rate_minor: 20_000 })
    await patch('equipment_logs', used, { hours: 2 })
    expect(await costOf('equipment_logs', used)).toBe(12_345)
    const crane = await create('equipment', { name: 'Crane', daily_rate_minor: 90_000 })
    await patch('equipment_logs', used, { equipment_id: crane })
    expect(await costOf('equipment_logs', used)).toBe(90_000)
    await rateOf('equipment', equipment_id, { daily_rate_minor: 12_345 })
  })
})

describe('The sums of a project', () => {
  let project: number
  beforeAll(async () => {
    project = await create('projects', { name: 'Summed', client_id })
    const other = await create('projects', { name: 'Beside', client_id })
    for (const of of [project, other]) {
      const estimate = { title: 'Wall', client_id, project_id: of, discount_pct: 10, tax_pct: 20, lines: lines(1000) }
      await create('estimates', { ...estimate, status: 'ACCEPTED' })
      await create('estimates', estimate)
      const invoice = {
        ...{ client_id, project_id: of, discount_pct: 10, tax_pct: 20, lines: lines(500) },
        ...{ issued_on: '2026-03-01', due_on: '2026-03-31' },
      }
      for (const status of ['DRAFT', 'VOID']) await create('invoices', { ...invoice, status })
      const invoice_id = await create('invoices', { ...invoice, status: 'ISSUED' })
      await create('payments', { invoice_id, paid_on: '2026-03-15', amount_minor: 200 })
      await work(of, { status: 'APPROVED' })
      await work(of, { hours: 2.25 })
      const subcontractor_id = await create('subcontractors', { name: 'Sub' })
      const contract = { subcontractor_id, project_id: of, title: 'Scaffold', amount_minor: 70 }
      await create('contracts', { ...contract, status: 'SIGNED', signed_on: '2026-03-01' })
      await create('contracts', contract)
      await use(of)
      await use(of, { type: 'SERVICE' })
    }
  })

  const sumsFor = (person: Person, id: number) => person.get(`/console/records/projects/${id}/sums`)

  test('add the records that refer to it, each in the states that count, and make its margin', async () => {
    const { body } = await sumsFor(admin, project)
    expect(body.data).toEqual({
      sums: {
        estimated_minor: 900,
        invoiced_minor: 450,
        paid_minor: 200,
        labour_minor: 24_998,
        contracts_minor: 70,
        equipment_minor: 12_345,
        draft_hours: 2.25,
      },
      margin_minor: 450 - 24_998 - 70 - 12_345,
    })
  })

  test.each([
    ['ESTIMATES_VIEW', ['estimated_minor'], true],
    ['INVOICES_VIEW', ['invoiced_minor', 'paid_minor'], false],
    ['PAY_VIEW', ['labour_minor'], false],
    ['MONEY_VIEW', ['contracts_minor'], false],
    ['EQUIPMENT_LOGS_VIEW', ['equipment_minor'], false],
  ])('without %s are told without %j', async (right, hidden, hasMargin) => {
    const person = await stage.person(
      admin.company,
      permissions.filter((one) => one !== right),
    )
    const { data } = (await sumsFor(person, project)).body
    const all = Object.keys((await sumsFor(admin, project)).body.data.sums)
    expect([Object.keys(data.sums), 'margin_minor' in data]).toEqual([
      all.filter((one) => !hidden.includes(one)),
      hasMargin,
    ])
  })

  test('are told to who may see nothing of them as none', async () => {
    const person = await stage.person(admin.company, ['PROJECTS_VIEW'])
    expect((await sumsFor(person, project)).body.data).toEqual({ sums: {} })
  })

  test('are refused without VIEW, with a parameter, of a record that is not there, and of a resource without sums', async () => {
    const stranger = await stage.admin()
    const foreman = await stage.person(admin.company, ['CLIENTS_VIEW'])
    const answers = [
      await sumsFor(foreman, project),
      await admin.get(`/console/records/projects/${project}/sums?limit=1`),
      await sumsFor(stranger, project),
      await sumsFor(admin, 999_999),
      await admin.get(`/console/records/trades/1/sums`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 400, 404, 404, 404])
  })
})

describe('The first page names the projects that lose money', () => {
  let own: Person & { company: Company }
  beforeAll(async () => {
    own = await stage.admin()
    const { company } = own
    const worker = await company.record('workers', { name: 'Ann', hourly_cost_minor: 1000 })
    const make = async (name: string, budget_minor: number | null, hours: number, more: JsonObject = {}) => {
      const id = await company.record('projects', { name, budget_minor, ...more })
      const entry = { worker_id: worker, project_id: id, worked_on: '2026-03-02', hours, status: 'APPROVED' }
      await company.record('time_entries', entry)
      return id
    }
    await make('Below 0', null, 2)
    await make('Archived', null, 9, { status: 'ARCHIVED' })
    const client = await company.record('clients', { name: 'Keel' })
    for (const [name, budget] of [
      ['Above budget', 1500],
      ['Fine', 2000],
    ] as const) {
      const project_id = await make(name, budget, 2, { client_id: client })
      await company.record('invoices', {
        ...{ client_id: client, project_id, lines: lines(5000), status: 'ISSUED' },
        ...{ issued_on: '2026-03-01', due_on: '2026-03-31' },
      })
    }
  })

  test('below 0 or above their budget, those that lose most first, and none that is archived', async () => {
    const { losing } = await own.data('/console/home')
    const [{ records, count, items }] = losing
    expect([records, count, items.map(({ id: _, ...item }: { id: number }) => item)]).toEqual([
      'projects',
      2,
      [
        { name: 'Below 0', margin_minor: -2000, above_minor: 0 },
        { name: 'Above budget', margin_minor: 3000, above_minor: 500 },
      ],
    ])
  })

  test.each(['MONEY_VIEW', 'PAY_VIEW', 'INVOICES_VIEW', 'EQUIPMENT_LOGS_VIEW', 'PROJECTS_VIEW'])(
    'to nobody without %s',
    async (right) => {
      const person = await stage.person(
        own.company,
        permissions.filter((one) => one !== right),
      )
      expect(await person.data('/console/home')).not.toHaveProperty('losing')
    },
  )
})

test('What an earlier version approved and logged gets its cost by the rates of now, once, by the service.', async () => {
  const project = await create('projects', { name: 'Filled' })
  const entry = await work(project, { status: 'APPROVED' })
  const draft = await work(project, {})
  const unpaid = await create('workers', { name: 'Nobody knows' })
  const unknown = await work(project, { worker_id: unpaid, status: 'APPROVED' })
  const log = await use(project)
  await stage.sql('update time_entries set cost_minor = null where company_id = $1', admin.company.id)
  await stage.sql('update equipment_logs set cost_minor = null where company_id = $1', admin.company.id)
  await fillAll(stage.app.database)
  const costs = async () => [
    await costOf('time_entries', entry),
    await costOf('time_entries', draft),
    await costOf('time_entries', unknown),
    await costOf('equipment_logs', log),
  ]
  expect(await costs()).toEqual([24_998, null, null, 12_345])
  const history = () => admin.data(`/console/records/time_entries/${entry}/history`)
  const [last] = await history()
  expect([last.door, last.changes, last.who]).toEqual(['service', { cost_minor: [null, 24_998] }, null])
  const before = (await history()).length
  await fillAll(stage.app.database)
  expect((await history()).length).toBe(before)
})
