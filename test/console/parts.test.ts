import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** An estimate is invoiced in parts. What is invoiced of it is known, and more than it offers is asked about. */

let stage: ConsoleStage
let admin: Person & { company: Company }
let client_id: number
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  client_id = await admin.company.create('clients', { name: 'Quay Trust' })
})
afterAll(() => stage.close())

const lines = (amount: number) => [{ description: 'Wall', unit_price_minor: amount }]
/** An accepted estimate of 1000 before tax. */
const accepted = (more: JsonObject = {}): Promise<number> =>
  admin.company.record('estimates', {
    title: 'Wall',
    client_id,
    status: 'ACCEPTED',
    lines: lines(1100),
    discount_minor: 100,
    tax_pct: 8.875,
    ...more,
  })
const days = { issued_on: '2026-03-01', due_on: '2026-03-31' }
const invoice = (estimate_id: number, amount: number, more: JsonObject = {}, headers = {}) =>
  admin.ask('POST', '/console/records/invoices', { client_id, estimate_id, lines: lines(amount), ...more }, headers)
const made = async (...invoicing: Parameters<typeof invoice>): Promise<number> => {
  const { status, text, body } = await invoice(...invoicing)
  if (status !== 201) throw new Error(text)
  return body.data.id
}
const change = (id: number, body: JsonObject, headers = {}) =>
  admin.ask('PATCH', `/console/records/invoices/${id}`, body, headers)
const invoiced = async (id: number): Promise<number> =>
  (await admin.data(`/console/records/estimates/${id}/sums`)).sums.invoiced_minor
const above = { status: 409, body: { code: 'doubtful', doubts: [{ field: 'lines', code: 'above_estimate' }] } }
const accepting = { 'X-Accept-Doubts': 'above_estimate' }

describe('What is invoiced of an estimate', () => {
  test('is the net of its invoices, drafts too, but for those that are VOID', async () => {
    const id = await accepted()
    expect(await invoiced(id)).toBe(0)
    await made(id, 300, { tax_pct: 20 })
    await made(id, 200, { discount_pct: 50 })
    const issued = await made(id, 100, { status: 'ISSUED', discount_minor: 1, ...days })
    await made(await accepted(), 1)
    expect(await invoiced(id)).toBe(499)
    expect((await change(issued, { status: 'VOID' })).status).toBe(200)
    expect(await invoiced(id)).toBe(400)
  })

  test('is told to nobody who may not see invoices', async () => {
    const id = await accepted()
    const clerk = await stage.person(admin.company, ['ESTIMATES_VIEW'])
    expect(await clerk.data(`/console/records/estimates/${id}/sums`)).toEqual({ sums: {} })
  })
})

describe('More than an estimate offers is asked about', () => {
  test('when an invoice is created, alone or beside others', async () => {
    const id = await accepted()
    expect(await invoice(id, 1001)).toMatchObject(above)
    await made(id, 600)
    expect(await invoice(id, 401)).toMatchObject(above)
    await made(id, 400)
    expect(await invoice(id, 1)).toMatchObject(above)
    await made(id, 1, {}, accepting)
    expect(await invoiced(id)).toBe(1001)
  })

  test('before tax: the tax of the parts may be a unit more than that of the whole', async () => {
    const id = await accepted()
    for (const amount of [333, 333, 334]) await made(id, amount, { tax_pct: 8.875 })
    expect(await invoiced(id)).toBe(1000)
  })

  test('when one is changed, and when it is issued, since others may have come between', async () => {
    const id = await accepted()
    const first = await made(id, 600)
    const second = await made(id, 400)
    expect(await change(second, { lines: lines(401) })).toMatchObject(above)
    expect(await change(second, { discount_minor: 5 })).toMatchObject({ status: 200 })
    await admin.company.record('invoices', { client_id, estimate_id: id, lines: lines(100) })
    expect(await change(first, { po_number: 'PO-1' })).toMatchObject({ status: 200 })
    expect(await change(first, { status: 'ISSUED', ...days })).toMatchObject(above)
    expect(await change(first, { status: 'ISSUED', ...days }, accepting)).toMatchObject({ status: 200 })
    expect(await change(first, { status: 'VOID' })).toMatchObject({ status: 200 })
    expect(await change(second, { status: 'ISSUED', ...days })).toMatchObject({ status: 200 })
  })

  test('by two at once: both stand, and the next write is asked', async () => {
    const id = await accepted()
    const [one, other] = await Promise.all([invoice(id, 600), invoice(id, 600)])
    const statuses = [one.status, other.status]
    // The sum of a doubt is not locked: either both are in time, or one comes later and is asked.
    expect(statuses).toContain(201)
    if (statuses.includes(409)) return expect(await invoiced(id)).toBe(600)
    expect(await invoiced(id)).toBe(1200)
    expect(await change(one.body.data.id, { status: 'ISSUED', ...days })).toMatchObject(above)
  })
})
