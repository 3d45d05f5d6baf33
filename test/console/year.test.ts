import { afterAll, beforeAll, expect, test } from 'vitest'
import { paperBlocks } from '#derive/paper.ts'
import type { PaperContent } from '#derive/paper-content.ts'
import type { PaperDefinition } from '#registry/definition.ts'
import { invoices } from '#registry/resources/invoices.ts'
import { percentOf, round, subtotalOf } from '../derive/fractions.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** A made-up year of 400 invoices adds up to the cent wherever it is shown. */

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

/** The invoice of a place in the year: its lines, discount and tax follow from it. */
function invoiceAt(place: number, client_id: number) {
  const lines = Array.from({ length: 1 + (place % 5) }, (_, index) => ({
    description: 'Wall',
    quantity: (1 + ((place * 7919 + index * 104_729) % 999_999)) / 10_000,
    unit: null,
    unit_price_minor: (place * 1_299_709 + index * 15_485_863) % 1_000_000,
  }))
  const share = (place * 37) % 100
  const subtotal = subtotalOf(lines)
  const discount = round(percentOf(subtotal, share / 8))
  const tax_pct = [0, 8.875, 9.975, 19][place % 4] as number
  const day = `2026-${String(1 + (place % 12)).padStart(2, '0')}-15`
  const given = place % 3 === 0 ? { discount_pct: share / 8 } : { discount_minor: Number(discount) }
  const total = subtotal - discount + round(percentOf(subtotal - discount, tax_pct))
  return { total, body: { client_id, lines, tax_pct, status: 'ISSUED', issued_on: day, due_on: day, ...given } }
}

test('400 invoices come to the same sum in fractions, in the list, in the file and on the papers', async () => {
  const client_id = await admin.company.create('clients', { name: 'Quay Trust' })
  const year = Array.from({ length: 400 }, (_, place) => invoiceAt(place + 1, client_id))
  for (let from = 0; from < year.length; from += 20)
    await Promise.all(year.slice(from, from + 20).map(({ body }) => admin.company.record('invoices', body)))
  const whole = Number(year.reduce((sum, { total }) => sum + total, 0n))

  const listed = await admin.data('/console/records/invoices/totals?issued_on_from=2026-01-01&issued_on_to=2026-12-31')
  expect(listed).toMatchObject({ count: 400, sums: { total_minor: whole } })

  const { text } = await admin.get('/console/records/invoices.csv?form=books')
  const [head = '', ...rows] = text.trim().split('\r\n')
  const column = head.split(',').indexOf('total')
  const cents = rows.map((row) => Number((row.split(',')[column] as string).replace('.', '')))
  expect([rows.length, cents.reduce((sum, one) => sum + one, 0)]).toEqual([400, whole])

  const papers = await stage.sql<{ content: PaperContent }>(
    'select content from papers where company_id = $1',
    admin.company.id,
  )
  const printed = papers.map(({ content }) => {
    const { text: total = '' } = paperBlocks(invoices as PaperDefinition, content, null).totals.at(-1) ?? {}
    return Number(total.replace(/\D/g, ''))
  })
  expect([printed.length, printed.reduce((sum, one) => sum + one, 0)]).toEqual([400, whole])
})
