import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
let ids: { [name: string]: number }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  const { company } = admin
  const quay = await company.record('clients', { name: 'Quay' })
  const mole = await company.record('clients', { name: 'Mole' })
  const pier = await company.record('projects', { name: 'Pier', client_id: quay })
  const other = await company.record('projects', { name: 'Other pier', client_id: quay })
  const theirs = await company.record('projects', { name: 'Their pier', client_id: mole })
  const nobodys = await company.record('projects', { name: 'Nobody’s pier' })
  const offer = await company.record('estimates', { title: 'Pier', client_id: quay, project_id: pier })
  const theirOffer = await company.record('estimates', { title: 'Theirs', client_id: mole })
  const open = await company.record('estimates', { title: 'Open' })
  ids = { quay, mole, pier, other, theirs, nobodys, offer, theirOffer, open }
})
afterAll(() => stage.close())

const errorsOf = (answer: { body: { errors?: { field: string; code: string }[] } }): string[] =>
  (answer.body.errors ?? []).map(({ field, code }) => `${field} ${code}`)

const invoices = '/console/records/invoices'
const wall = { description: 'Wall', quantity: 3, unit_price_minor: 333 }

describe('Client, project and estimate of an invoice belong together', () => {
  const rows: { why: string; body: () => JsonObject; errors: string[] }[] = [
    { why: 'its client’s project', body: () => ({ project_id: ids.pier! }), errors: [] },
    { why: 'a project without a client', body: () => ({ project_id: ids.nobodys! }), errors: [] },
    { why: 'another’s project', body: () => ({ project_id: ids.theirs! }), errors: ['project_id not_of_client'] },
    { why: 'its client’s estimate', body: () => ({ estimate_id: ids.offer! }), errors: [] },
    { why: 'an estimate to nobody yet', body: () => ({ estimate_id: ids.open! }), errors: [] },
    {
      why: 'another’s estimate',
      body: () => ({ estimate_id: ids.theirOffer! }),
      errors: ['estimate_id not_of_client'],
    },
    {
      why: 'an estimate for another project',
      body: () => ({ estimate_id: ids.offer!, project_id: ids.other! }),
      errors: ['estimate_id not_of_project'],
    },
  ]
  test.each(rows)('$why', async ({ body, errors }) => {
    const answer = await admin.ask('POST', invoices, { client_id: ids.quay, ...body() })
    expect(errorsOf(answer)).toEqual(errors)
  })

  test('also when another client is written later', async () => {
    const { body } = await admin.ask('POST', invoices, { client_id: ids.quay, project_id: ids.pier })
    const answer = await admin.ask('PATCH', `${invoices}/${body.data.id}`, { client_id: ids.mole })
    expect(errorsOf(answer)).toEqual(['project_id not_of_client'])
  })
})

describe('An invoice', () => {
  test('is totalled like an estimate, and its total is not typed', async () => {
    const priced = { lines: [wall, { description: 'Coping' }], discount_pct: 2.5, tax_pct: 19.25 }
    const invoice = await admin.ask('POST', invoices, { client_id: ids.quay, ...priced })
    const estimate = await admin.company.create('estimates', { title: 'Same', ...priced })
    const sums = ['subtotal_minor', 'discount_minor', 'tax_minor', 'total_minor']
    const [one, other] = [
      await admin.data(`${invoices}/${invoice.body.data.id}`),
      await admin.data(`/console/records/estimates/${estimate}`),
    ]
    expect(sums.map((sum) => one[sum])).toEqual(sums.map((sum) => other[sum]))
    const typed = await admin.ask('POST', invoices, { client_id: ids.quay, total_minor: 5 })
    expect(errorsOf(typed)).toEqual(['total_minor read_only'])
  })

  test('is issued with a line, a day and the day it is due, and locked from then on', async () => {
    const { data } = (await admin.ask('POST', invoices, { client_id: ids.quay })).body
    const at = `${invoices}/${data.id}`
    const bare = await admin.ask('PATCH', at, { status: 'ISSUED' })
    expect(errorsOf(bare)).toEqual(['issued_on needed_by_status', 'due_on needed_by_status', 'lines needed_by_status'])
    const days = { issued_on: '2026-03-01', due_on: '2026-03-31' }
    const issued = await admin.ask('PATCH', at, { status: 'ISSUED', ...days, lines: [wall] })
    expect(issued.status).toBe(200)
    const changed = await admin.ask('PATCH', at, { lines: [{ ...wall, unit_price_minor: 1 }] })
    expect(errorsOf(changed)).toEqual(['lines locked'])
    expect(changed.body.errors[0].message).toMatch(
      /to put a mistake right, set its status to VOID .* issue a new invoice that names it in replaces_id$/,
    )
    const payment = { invoice_id: data.id, paid_on: '2026-03-02', amount_minor: 999 }
    const paid = await admin.ask('POST', '/console/records/payments', payment)
    await admin.ask('PATCH', `/console/records/payments/${paid.body.data.id}`, { status: 'VOID' })
    expect((await admin.ask('PATCH', at, { status: 'VOID' })).status).toBe(200)
    expect((await admin.data(at)).total_minor).toBe(999)
    const history = (await admin.get(`${at}/history`)).body.data
    expect(history.map(({ changes }: { changes: { status?: string[] } | null }) => changes?.status?.[1])).toEqual([
      'VOID',
      'ISSUED',
      'PAID',
      'ISSUED',
      undefined,
    ])
  })

  test('of before lines and days can still be paid', async () => {
    const { data } = (await admin.ask('POST', invoices, { client_id: ids.quay, project_id: ids.pier })).body
    const at = `${invoices}/${data.id}`
    await stage.sql("update invoices set status = 'ISSUED' where id = $1", data.id)
    await stage.sql('update projects set client_id = $1 where id = $2', ids.mole, ids.pier)
    const payment = { invoice_id: data.id, paid_on: '2026-03-02', amount_minor: 999 }
    expect(
      (await admin.ask('POST', '/console/records/payments', payment, { 'X-Accept-Doubts': 'overpaid' })).status,
    ).toBe(201)
    expect((await admin.data(at)).status).toBe('PAID')
    await stage.sql('update projects set client_id = $1 where id = $2', ids.quay, ids.pier)
  })
})
