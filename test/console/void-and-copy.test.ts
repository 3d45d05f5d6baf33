import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { billed, type Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** An invoice is voided and issued anew in one write. */
let stage: ConsoleStage
let admin: Person & { company: Company }
let client: number
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  client = await admin.company.record('clients', { name: 'Ada' })
})
afterAll(() => stage.close())

const invoice = (more: JsonObject = {}) =>
  admin.company.record('invoices', { client_id: client, ...billed, status: 'ISSUED', ...more })
const at = (id: number) => `/console/records/invoices/${id}`
const stateOf = async (id: number) => (await admin.data(at(id))).status
const countOf = async () => (await admin.get('/console/records/invoices')).body.meta.total

async function voidAndCopy(id: number, copy: JsonObject = {}, tag?: string) {
  const { etag } = (await admin.get(at(id))).headers
  const operations = [
    { op: 'update', id, if_match: tag ?? etag, body: { status: 'VOID' } },
    { op: 'create', body: { client_id: client, lines: billed.lines, replaces_id: id, ...copy } },
  ]
  return admin.ask('POST', '/console/records/invoices/batch', { operations })
}

describe('Void and copy', () => {
  test('leaves a void invoice and a draft that names it', async () => {
    const id = await invoice()
    const answer = await voidAndCopy(id)
    expect(answer.status, answer.text).toBe(200)
    const copy = answer.body.data.operations[1].data.id
    expect(await admin.data(at(copy))).toMatchObject({ status: 'DRAFT', replaces_id: id, total_minor: 1200 })
    expect(await stateOf(id)).toBe('VOID')
    expect((await admin.get(`/console/records/invoices?replaces_id=${id}`)).body.meta.total).toBe(1)
  })

  test.each([
    ['the copy is refused', { lines: 'none' }, undefined],
    ['the invoice has changed', {}, '"another"'],
  ])('does nothing where %s', async (_, copy, tag) => {
    const id = await invoice()
    const before = await countOf()
    expect(await voidAndCopy(id, copy, tag)).toMatchObject({ status: 422, body: { code: 'batch_refused' } })
    expect([await stateOf(id), await countOf()]).toEqual(['ISSUED', before])
  })
})

test('An invoice stands in place of one of the company that is void, and of no other', async () => {
  const other = await stage.admin()
  const theirs = await other.company.record('clients', { name: 'Bo' })
  const foreign = await other.company.record('invoices', { client_id: theirs, ...billed, status: 'VOID' })
  for (const id of [await invoice(), await invoice({ status: 'DRAFT' }), foreign]) {
    const answer = await admin.ask('POST', '/console/records/invoices', { client_id: client, replaces_id: id })
    expect(answer.body.errors).toMatchObject([{ field: 'replaces_id', code: 'not_found' }])
  }
})

test('A locked invoice says how it is put right in its state', async () => {
  const messageOf = async (id: number): Promise<string> =>
    (await admin.ask('PATCH', at(id), { po_number: 'PO-1' })).body.errors[0].message
  expect(await messageOf(await invoice())).toContain('set its status to VOID')
  const replaced = await messageOf(await invoice({ status: 'VOID' }))
  expect(replaced).toMatch(/right, issue a new invoice that names it/)
  expect(replaced).not.toContain('set its status')
})
