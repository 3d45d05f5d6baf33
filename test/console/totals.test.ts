import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ages, dueSpans, matchFilter, spanFilter } from '#derive/due.ts'
import type { Definition } from '#registry/definition.ts'
import { permission, permissions } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** Days late of the issued invoices, each of which is over another amount; null is an invoice without a day. */
const late = [-400, -8, -7, -1, 0, 0, 1, 30, 31, 60, 61, 90, 91, 400, null]
const amount = (place: number): number => 100 * 2 ** place

let stage: ConsoleStage
let admin: Person & { company: Company }
let other: Person & { company: Company }
let ids: { quay: number; mole: number }
const today = new Date().toISOString().slice(0, 10)
const dayOf = (daysLate: number) => new Date(Date.parse(today) - daysLate * 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  stage = await openConsole()
  ;[admin, other] = [await stage.admin(), await stage.admin()]
  const { company } = admin
  ids = {
    quay: await company.record('clients', { name: 'Quay' }),
    mole: await company.record('clients', { name: 'Mole' }),
  }
  const invoice = async (body: object, minor: number, client = ids.quay, of = company) =>
    of.record('invoices', {
      client_id: client,
      lines: [{ description: 'Wall', quantity: 1, unit_price_minor: minor }],
      ...body,
    })
  const issued = { status: 'ISSUED', issued_on: dayOf(500), due_on: dayOf(0) }
  for (const [place, days] of late.entries()) {
    const due_on = dayOf(days ?? 0)
    const id = await invoice({ ...issued, due_on }, amount(place), place % 2 === 0 ? ids.quay : ids.mole)
    if (days === null) await stage.sql('update invoices set due_on = null where id = $1', id)
  }
  await invoice({}, 7)
  await invoice({ ...issued, status: 'VOID' }, 9)
  const theirs = await other.company.record('clients', { name: 'Theirs' })
  await invoice(issued, 5, theirs, other.company)
})
afterAll(() => stage.close())

const totals = '/console/records/invoices/totals'
const definition = definitionOf(registry, 'invoices') as Definition
const due = definition.list!.due!
const open = matchFilter(due.when)
const query = (filter: object) => new URLSearchParams(Object.entries(filter))
const whole = late.reduce<number>((sum, _, place) => sum + amount(place), 0)

describe('The totals of a list', () => {
  test('count and add up all of its records, whichever page is shown', async () => {
    const data = await admin.data(totals)
    expect(data).toMatchObject({ count: late.length + 2, sums: { total_minor: whole + 16 } })
  })

  test.each([
    ['status=DRAFT', 1, 7],
    ['status=DRAFT,VOID', 2, 16],
    ['q=nothing-like-that', 0, 0],
    ['due_on_to=2000-01-01', 0, 0],
    ['updated_since=2100-01-01T00:00:00Z', 0, 0],
  ])('take the filters of the list: %s', async (filter, count, total_minor) => {
    expect(await admin.data(`${totals}?${filter}`)).toMatchObject({ count, sums: { total_minor } })
  })

  test('add up decimals exactly', async () => {
    const worker_id = await admin.company.record('workers', { name: 'Ada' })
    const project_id = await admin.company.record('projects', { name: 'Pier' })
    for (const hours of [0.1, 0.2, 7.45])
      await admin.company.record('time_entries', { worker_id, project_id, worked_on: '2026-01-05', hours })
    const data = await admin.data('/console/records/time_entries/totals')
    expect(data).toEqual({ count: 3, sums: { hours: 7.75 } })
  })

  test('say null of a sum that is too large for an exact number', async () => {
    const own = await stage.admin()
    const client_id = await own.company.record('clients', { name: 'Rich' })
    const lines = [{ description: 'Tower', quantity: 1, unit_price_minor: 9_000_000_000_000_000 }]
    for (const title of ['A', 'B']) await own.company.record('estimates', { title, client_id, lines })
    expect(await own.data('/console/records/estimates/totals')).toEqual({ count: 2, sums: { total_minor: null } })
  })

  test.each([
    ['limit=5', 'unknown_parameter'],
    ['sort=number', 'unknown_parameter'],
    ['fields=number', 'unknown_parameter'],
    ['after_id=0', 'unknown_parameter'],
    ['color=red', 'unknown_parameter'],
    ['status=BLUE', 'invalid_parameter'],
  ])('refuse %s: %s', async (asked, code) => {
    expect(await admin.get(`${totals}?${asked}`)).toMatchObject({ status: 400, body: { code } })
  })

  test.each(registry.filter(({ list }) => !list?.totals && !list?.due).map(({ name }) => name))(
    'are not there for %s, whose definition names none',
    async (name) => {
      expect(await admin.get(`/console/records/${name}/totals`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    },
  )

  test.each(registry.flatMap((one) => (one.list?.totals ?? []).map((field) => ({ one, field }))))(
    'of $one.name add up $field as its list does',
    async ({ one, field }) => {
      const records = await admin.data(`/console/records/${one.name}?limit=100`)
      const sum = records.reduce((total: number, record: { [name: string]: number }) => total + record[field]! * 100, 0)
      const data = await admin.data(`/console/records/${one.name}/totals`)
      expect(data.count).toBe(records.length)
      expect(Math.round(data.sums[field] * 100)).toBe(Math.round(sum))
    },
  )

  test('need the right to see the records', async () => {
    const person = await stage.person(
      admin.company,
      permissions.filter((one) => one !== permission('invoices', 'VIEW')),
    )
    expect(await person.get(totals)).toMatchObject({ status: 403, body: { required_scope: 'INVOICES_VIEW' } })
  })

  test('have nothing of another company', async () => {
    expect(await other.data(totals)).toMatchObject({ count: 1, sums: { total_minor: 5 } })
    expect(await other.data(`${totals}?client_id=${ids.quay}`)).toMatchObject({ count: 0, sums: { total_minor: 0 } })
  })
})

describe('What is due', () => {
  const figures: [string, { from: number | null; to: number | null }, (data: Due) => unknown][] = [
    ...Object.entries(dueSpans).map(
      ([name, span]) => [name, span, (data: Due) => data[name]] as [string, typeof span, (data: Due) => unknown],
    ),
    ...ages.map(
      (age, place) =>
        [`age ${age.from} to ${age.to}`, age, (data: Due) => data.ages[place]] as [
          string,
          typeof age,
          (data: Due) => unknown,
        ],
    ),
  ]
  type Due = { ages: object[]; [span: string]: unknown }

  test.each(figures)('%s is as its days say, and as long as the list behind it', async (_name, span, read) => {
    const data = (await admin.data(`${totals}?${query(open)}`)).due
    expect(data.today).toBe(today)
    const those = [...late.entries()].filter(
      ([, days]) => days !== null && days >= (span.from ?? -1000) && days <= (span.to ?? 1000),
    )
    const minor = those.reduce((sum, [place]) => sum + amount(place), 0)
    expect(read(data)).toMatchObject({ count: those.length, minor })
    const filter = { ...open, ...spanFilter(due, today, span) }
    expect((await admin.get(`/console/records/invoices?${query(filter)}`)).body.meta.total).toBe(those.length)
    expect(await admin.data(`${totals}?${query(filter)}`)).toMatchObject({
      count: those.length,
      sums: { [due.open]: minor },
    })
  })

  test('is the same without a filter: drafts and void ones are never due', async () => {
    const [all, narrowed] = [await admin.data(totals), await admin.data(`${totals}?${query(open)}`)]
    expect(all.due).toEqual(narrowed.due)
    expect(narrowed).toMatchObject({ count: late.length, sums: { total_minor: whole } })
  })

  test('of two clients adds up to that of the company', async () => {
    const [quay, mole, both] = await Promise.all(
      [`client_id=${ids.quay}`, `client_id=${ids.mole}`, ''].map(
        async (filter) => (await admin.data(`${totals}?${filter}`)).due,
      ),
    )
    expect(quay.overdue.minor + mole.overdue.minor).toBe(both.overdue.minor)
    expect(quay.overdue.count + mole.overdue.count).toBe(both.overdue.count)
    expect(quay.overdue.count).toBeGreaterThan(0)
  })
})
