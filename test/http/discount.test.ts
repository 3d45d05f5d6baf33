import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** A discount is an amount of its own, or follows from a percentage. */

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const lines = [{ description: 'Wall', quantity: 2, unit_price_minor: 5000 }]
const fewer = [{ description: 'Wall', quantity: 1, unit_price_minor: 5000 }]
const share = { lines, discount_pct: 10 }
const amount = { lines, discount_minor: 700 }

type Row = {
  why: string
  before?: JsonObject
  sent: JsonObject
  pct?: number | null
  minor?: number
  errors?: string[]
}
const created: Row[] = [
  { why: 'neither is no discount', sent: { lines }, pct: null, minor: 0 },
  { why: 'a percentage gives the amount that follows', sent: share, pct: 10, minor: 1000 },
  { why: 'an amount is kept', sent: amount, pct: null, minor: 700 },
  { why: 'an amount beside no percentage is kept', sent: { ...amount, discount_pct: null }, pct: null, minor: 700 },
  {
    why: 'the amount that follows is taken beside its percentage',
    sent: { ...share, discount_minor: 1000 },
    pct: 10,
    minor: 1000,
  },
  {
    why: 'another amount contradicts its percentage',
    sent: { ...share, discount_minor: 999 },
    errors: ['discount_minor read_only'],
  },
  {
    why: 'so does one beside no lines',
    sent: { discount_pct: 10, discount_minor: 1 },
    errors: ['discount_minor read_only'],
  },
  {
    why: 'a percentage of 0 is one',
    sent: { lines, discount_pct: 0, discount_minor: 1 },
    errors: ['discount_minor read_only'],
  },
  { why: 'all of the lines can be given off', sent: { lines, discount_minor: 10_000 }, pct: null, minor: 10_000 },
  { why: 'no more than that', sent: { lines, discount_minor: 10_001 }, errors: ['discount_minor out_of_range'] },
  { why: 'nothing of no lines', sent: { discount_minor: 1 }, errors: ['discount_minor out_of_range'] },
  { why: 'it is never below 0', sent: { lines, discount_minor: -1 }, errors: ['discount_minor out_of_range'] },
  { why: 'it is a whole number', sent: { lines, discount_minor: 0.5 }, errors: ['discount_minor wrong_type'] },
  { why: 'null is no amount', sent: { lines, discount_minor: null }, errors: ['discount_minor required'] },
  {
    why: 'lines that are refused judge no discount',
    sent: { lines: [{}], discount_minor: 1 },
    errors: ['lines[0].description required'],
  },
  {
    why: 'nor does a percentage that is',
    sent: { lines, discount_pct: 101, discount_minor: 1 },
    errors: ['discount_pct out_of_range'],
  },
]
const updated: Row[] = [
  { why: 'an amount stays beside what else changes', before: amount, sent: { tax_pct: 20 }, pct: null, minor: 700 },
  { why: 'an amount stays beside fewer lines', before: amount, sent: { lines: fewer }, pct: null, minor: 700 },
  {
    why: 'a percentage is worked out anew for fewer lines',
    before: share,
    sent: { lines: fewer },
    pct: 10,
    minor: 500,
  },
  { why: 'another amount', before: amount, sent: { discount_minor: 800 }, pct: null, minor: 800 },
  { why: 'a percentage takes the place of an amount', before: amount, sent: { discount_pct: 5 }, pct: 5, minor: 500 },
  {
    why: 'an amount takes the place of a percentage that is cleared',
    before: share,
    sent: { discount_pct: null, discount_minor: 700 },
    pct: null,
    minor: 700,
  },
  {
    why: 'a percentage that is cleared takes its discount along',
    before: share,
    sent: { discount_pct: null },
    pct: null,
    minor: 0,
  },
  {
    why: 'no percentage, sent again, leaves an amount',
    before: amount,
    sent: { discount_pct: null },
    pct: null,
    minor: 700,
  },
  {
    why: 'an amount does not clear a percentage',
    before: share,
    sent: { discount_minor: 700 },
    errors: ['discount_minor read_only'],
  },
  {
    why: 'the stored amount is taken beside a percentage',
    before: share,
    sent: { discount_minor: 1000, tax_pct: 20 },
    pct: 10,
    minor: 1000,
  },
  {
    why: 'it is not where the lines change too',
    before: share,
    sent: { discount_minor: 1000, lines: fewer },
    errors: ['discount_minor read_only'],
  },
  {
    why: 'no fewer lines than the amount',
    before: amount,
    sent: { lines: [] },
    errors: ['discount_minor out_of_range'],
  },
  { why: 'null is no amount', before: amount, sent: { discount_minor: null }, errors: ['discount_minor required'] },
]

async function outcome(answer: Awaited<ReturnType<Company['call']>>, path: string) {
  if (answer.status >= 400)
    return { errors: answer.body.errors.map(({ field, code }: JsonObject) => `${field} ${code}`) }
  const { data } = (await company.get(path)).body
  const { subtotal_minor, discount_minor, tax_minor, total_minor } = data
  expect(total_minor).toBe(subtotal_minor - discount_minor + tax_minor)
  return { pct: data.discount_pct, minor: discount_minor }
}
const asked = ({ pct, minor, errors }: Row) => (errors ? { errors } : { pct, minor })

describe('A discount is an amount, or follows from its percentage', () => {
  test.each(created)('created: $why', async (row) => {
    const answer = await company.call('POST', '/v1/estimates', { body: { title: 'E', ...row.sent } })
    expect(await outcome(answer, `/v1/estimates/${answer.body.data?.id}`)).toEqual(asked(row))
  })

  test.each(updated)('changed: $why', async (row) => {
    const path = `/v1/estimates/${await company.create('estimates', { title: 'E', ...row.before })}`
    const before = (await company.get(path)).body.data
    const answer = await company.call('PATCH', path, { body: row.sent })
    expect(await outcome(answer, path)).toEqual(asked(row))
    if (row.errors) expect((await company.get(path)).body.data).toEqual(before)
  })

  test('an accepted estimate has its discount for good', async () => {
    const client_id = await company.create('clients', { name: 'C' })
    for (const before of [share, amount]) {
      const path = `/v1/estimates/${await company.create('estimates', { title: 'E', client_id, status: 'ACCEPTED', ...before })}`
      const { body } = await company.call('PATCH', path, { body: { discount_minor: 5 } })
      expect(body.errors).toMatchObject([{ field: 'discount_minor', code: 'locked' }])
    }
  })
})

describe('A write of a discount is taken back', () => {
  const rows: { why: string; before: JsonObject; write: JsonObject; later?: JsonObject; conflicts?: string[] }[] = [
    { why: 'an amount', before: amount, write: { discount_minor: 800 } },
    { why: 'a percentage for an amount', before: amount, write: { discount_pct: 5 } },
    { why: 'an amount for a percentage', before: share, write: { discount_pct: null, discount_minor: 700 } },
    { why: 'no percentage', before: share, write: { discount_pct: null } },
    { why: 'lines, and what followed from them', before: share, write: { lines: fewer } },
    { why: 'lines, after another percentage', before: share, write: { lines: fewer }, later: { discount_pct: 20 } },
    {
      why: 'lines, after a percentage was cleared',
      before: share,
      write: { lines: fewer },
      later: { discount_pct: null },
    },
    {
      why: 'an amount that somebody changed since',
      before: amount,
      write: { discount_minor: 800 },
      later: { discount_minor: 900 },
      conflicts: ['discount_minor'],
    },
    {
      why: 'an amount that followed from a percentage since',
      before: amount,
      write: { discount_minor: 800 },
      later: { discount_pct: 1 },
    },
  ]
  test.each(rows)('$why', async ({ before, write, later, conflicts }) => {
    const path = `/v1/estimates/${await company.create('estimates', { title: 'E', ...before })}`
    const first = (await company.get(path)).body.data
    const { headers } = await company.call('PATCH', path, { body: write })
    if (later) await company.call('PATCH', path, { body: later })
    const undone = await company.call('POST', `/v1/writes/${headers['x-write-id']}/undo`)
    if (conflicts) expect(undone.body).toMatchObject({ code: 'undo_conflict', conflicts: [{ fields: conflicts }] })
    else {
      expect(undone.status, undone.text).toBe(200)
      const { updated_at: _, ...asBefore } = first
      const data = (await company.get(path)).body.data
      if (later) expect(data).toMatchObject({ lines: first.lines, discount_pct: later.discount_pct })
      else expect(data).toMatchObject(asBefore)
    }
  })
})
