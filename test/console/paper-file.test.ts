import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { readPdf } from '../paper/read-pdf.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** Papers as PDF files, and which paper of a record they show. Decisions, Papers. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const lines = [{ description: 'Chimney', quantity: 2, unit_price_minor: 50_000 }]
const client = (more: JsonObject = {}) => admin.company.record('clients', { name: 'Quay', ...more })
const invoice = async (more: JsonObject = {}) =>
  admin.company.record('invoices', {
    ...{ client_id: await client(), lines, number: `INV/${crypto.randomUUID().slice(0, 8)}` },
    ...{ issued_on: '2026-03-01', due_on: '2026-03-31' },
    ...more,
  })
const change = async (records: string, id: number, body: JsonObject) =>
  expect((await admin.ask('PATCH', `/console/records/${records}/${id}`, body)).status).toBe(200)

const at = (records: string, id: number) => `/console/records/${records}/${id}/paper.pdf`
async function file(path: string) {
  const answer = await fetch(stage.url + path, { headers: { Cookie: admin.cookie } })
  expect(answer.status).toBe(200)
  const { pages, ...about } = await readPdf(new Uint8Array(await answer.arrayBuffer()))
  return { headers: answer.headers, ...about, texts: pages.flatMap(({ texts }) => texts) }
}

describe('The PDF of a record', () => {
  test('is shown by the browser, under the name of its number, and is kept by no cache', async () => {
    const number = `INV/${crypto.randomUUID().slice(0, 8)}`
    const { headers, title, texts } = await file(at('invoices', await invoice({ number, status: 'ISSUED' })))
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${number.replace('/', '-')}.pdf"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(title).toBe(`Invoice ${number}`)
    expect(texts).toEqual(expect.arrayContaining(['Quay', 'Chimney', '$1,000.00', 'Page 1 of 1']))
  })

  test('has DRAFT across it while it is a draft, nothing once it is issued, and VOID from then on', async () => {
    const id = await invoice()
    const across = async () => (await file(at('invoices', id))).texts.filter((text) => /^(DRAFT|VOID)$/.test(text))
    expect(await across()).toEqual(['DRAFT'])
    await change('invoices', id, { status: 'ISSUED' })
    expect(await across()).toEqual([])
    await change('invoices', id, { status: 'VOID' })
    expect(await across()).toEqual(['VOID'])
  })

  test('is what was sent, and with `now` what would be sent again, but for records of the books', async () => {
    const client_id = await client()
    const estimate = await admin.company.record('estimates', { title: 'Chimney', client_id, lines, status: 'SENT' })
    const issued = await invoice({ client_id, status: 'ISSUED' })
    await change('clients', client_id, { name: 'Mole' })
    await change('estimates', estimate, { title: 'Chimney and roof' })
    const named = async (path: string) =>
      (await file(path)).texts.filter((text) => /^(Quay|Mole|Chimney.*)$/.test(text))
    expect(await named(at('estimates', estimate))).toEqual(['Quay', 'Chimney', 'Chimney'])
    expect(await named(`${at('estimates', estimate)}?now=1`)).toEqual(['Mole', 'Chimney and roof', 'Chimney'])
    expect(await named(`${at('invoices', issued)}?now=1`)).toEqual(['Quay', 'Chimney'])
    const paper = `/console/records/estimates/${estimate}/paper`
    expect(await admin.data(paper)).toMatchObject({ is_fixed: true, is_changed: true, across: null })
    expect(await admin.data(`${paper}?now=1`)).toMatchObject({ is_fixed: false, is_changed: false })
  })

  test('of an estimate that is a draft again is what was sent, with nothing across it', async () => {
    const client_id = await client()
    const id = await admin.company.record('estimates', { title: 'Roof', client_id, lines, status: 'SENT' })
    for (const status of ['REJECTED', 'DRAFT']) await change('estimates', id, { status })
    expect((await file(at('estimates', id))).texts).not.toContain('DRAFT')
    expect((await file(`${at('estimates', id)}?now=1`)).texts).toContain('DRAFT')
  })

  test('has the logo that the paper names', async () => {
    const { id } = admin.company
    const hash = 'ab'.repeat(32)
    const values = [id, hash, Buffer.from(pixel, 'base64')]
    await stage.sql(
      `insert into company_logos (company_id, hash, type, bytes) values ($1, $2, 'image/png', $3)`,
      ...values,
    )
    await stage.sql('update companies set logo_hash = $2 where id = $1', id, hash)
    const read = (path: string) => fetch(stage.url + path, { headers: { Cookie: admin.cookie } })
    const path = at('invoices', await invoice({ status: 'ISSUED' }))
    await stage.sql('update companies set logo_hash = null where id = $1', id)
    const drawn = await (await read(path)).arrayBuffer()
    expect((await readPdf(new Uint8Array(drawn))).pages[0]?.tags).toContain('Figure')
    const picture = await read(path.replace('.pdf', '/logo'))
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await picture.arrayBuffer()).toString('base64')).toBe(pixel)
    expect((await read(at('invoices', await invoice()).replace('.pdf', '/logo'))).status).toBe(404)
  })

  test('is refused as its paper is: whole, by the right that is missing', async () => {
    const id = await invoice({ client_id: await client({ tax_id: crypto.randomUUID() }), status: 'ISSUED' })
    for (const lacking of ['CLIENTS_VIEW', 'TAX_VIEW', 'INVOICES_VIEW']) {
      const person = await stage.person(
        admin.company,
        permissions.filter((one) => one !== lacking),
      )
      const answer = await person.get(at('invoices', id))
      expect(answer, lacking).toMatchObject({ status: 403, body: { required_scope: lacking } })
    }
    const other = await stage.admin()
    expect((await other.get(at('invoices', id))).status).toBe(404)
    expect((await admin.get(at('clients', 1))).status).toBe(404)
    const codeOf = async (query: string) => (await admin.get(`${at('invoices', id)}?${query}`)).body.code
    expect([await codeOf('now=2'), await codeOf('then=1')]).toEqual(['invalid_parameter', 'unknown_parameter'])
  })
})

/** One green pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
