import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  const { company } = admin
  const quay = { name: 'Quay, Ltd', external_ref: 'CRM-7', tax_id: 'GB1' }
  const client_id = await company.record('clients', quay)
  const lines = [{ description: 'Wall', quantity: 1, unit_price_minor: 100_050 }]
  const days = { issued_on: '2026-03-31', due_on: '2026-04-30' }
  const bill = (body: JsonObject) => company.record('invoices', { client_id, lines, ...body })
  const paid = await bill({
    number: 'A-1',
    status: 'ISSUED',
    ...days,
    discount_pct: 10,
    tax_pct: 8.875,
    po_number: '77',
  })
  await bill({ number: 'A-2', status: 'VOID', ...days })
  await bill({ number: 'A-3', status: 'ISSUED', ...days, issued_on: '2026-04-01' })
  await bill({ number: 'A-4' })
  const pay = (body: JsonObject) => company.record('payments', { invoice_id: paid, amount_minor: 5005, ...body })
  await pay({ paid_on: '2026-03-31', method: 'CHEQUE', reference: '=1+1' })
  await pay({ paid_on: '2026-03-31', status: 'VOID' })
  await pay({ paid_on: '2026-04-01' })
})
afterAll(() => stage.close())

const file = (records: string, query: string) => admin.get(`/console/records/${records}.csv?form=books&${query}`)
const rowsOf = ({ text }: { text: string }): string[] => text.replace('\ufeff', '').trimEnd().split('\r\n')

describe('The file for the bookkeeper', () => {
  test('has the invoices of a month, VOID ones too, with days, amounts and names that never change', async () => {
    expect(rowsOf(await file('invoices', 'issued_on_from=2026-03-01&issued_on_to=2026-03-31&sort=number'))).toEqual([
      'number,client,client_ref,tax_id,issued_on,due_on,status,net,tax_pct,tax,total,paid,currency,po_number',
      'A-1,"Quay, Ltd",CRM-7,GB1,2026-03-31,2026-04-30,ISSUED,900.45,8.875,79.91,980.36,100.10,USD,77',
      'A-2,"Quay, Ltd",CRM-7,GB1,2026-03-31,2026-04-30,VOID,1000.50,,0.00,1000.50,0.00,USD,',
    ])
  })

  test('has the payments of a month with their invoices and clients', async () => {
    expect(rowsOf(await file('payments', 'paid_on_from=2026-03-01&paid_on_to=2026-03-31'))).toEqual([
      'paid_on,invoice,client,method,reference,amount,currency,status',
      `2026-03-31,A-1,"Quay, Ltd",CHEQUE,'=1+1,50.05,USD,RECEIVED`,
      '2026-03-31,A-1,"Quay, Ltd",,,50.05,USD,VOID',
    ])
  })

  test('of a month without records has its titles', async () => {
    expect(rowsOf(await file('payments', 'paid_on_from=2020-01-01&paid_on_to=2020-01-31'))).toHaveLength(1)
  })

  test.each(registry.filter(({ list }) => !list?.books).map(({ name }) => name))('is none of %s', async (name) => {
    expect(await file(name, '')).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } })
  })

  test.each([
    ['invoices', 'CLIENTS_VIEW'],
    ['invoices', 'TAX_VIEW'],
    ['payments', 'INVOICES_VIEW'],
    ['payments', 'CLIENTS_VIEW'],
  ])('of %s is whole or refused: it needs %s', async (records, right) => {
    const person = await stage.person(
      admin.company,
      permissions.filter((one) => one !== right),
    )
    const answer = await person.get(`/console/records/${records}.csv?form=books`)
    expect(answer).toMatchObject({ status: 403, body: { required_scope: right } })
  })

  test('is noted as an export', async () => {
    const [entry] = (await admin.get('/console/audit?action=exported')).body.data
    expect(entry).toMatchObject({ records: 'exports' })
  })
})
