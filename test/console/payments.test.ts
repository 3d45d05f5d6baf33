import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayIn } from '#derive/company-day.ts'
import { dayMilliseconds } from '#derive/moment.ts'
import type { JsonObject } from '#registry/json.ts'
import { fillAll } from '#server/jobs/fills.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
let client: number
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  client = await admin.company.record('clients', { name: 'Quay' })
})
afterAll(() => stage.close())

const days = { issued_on: '2026-03-01', due_on: '2026-03-31' }
const linesOf = (minor: number) => [{ description: 'Wall', quantity: 1, unit_price_minor: minor }]
const issue = (minor: number, body: JsonObject = {}) =>
  admin.company.record('invoices', { client_id: client, status: 'ISSUED', ...days, lines: linesOf(minor), ...body })
/** Records a payment and accepts these doubts about it, by default every one. */
const pay = (
  invoice_id: number,
  amount_minor: number,
  body: JsonObject = {},
  accepts = 'overpaid,before_issue,same_payment',
) => {
  const sent = { invoice_id, amount_minor, paid_on: '2026-03-15', ...body }
  return admin.ask('POST', '/console/records/payments', sent, accepts === '' ? {} : { 'X-Accept-Doubts': accepts })
}
const change = (records: string, id: number, body: JsonObject) =>
  admin.ask('PATCH', `/console/records/${records}/${id}`, body)
const amountsOf = async (id: number) => {
  const { status, total_minor, paid_minor, open_minor } = await admin.data(`/console/records/invoices/${id}`)
  return { status, total_minor, paid_minor, open_minor }
}
const errorsOf = (answer: { body: { errors?: { field: string; code: string }[] } }): string[] =>
  (answer.body.errors ?? []).map(({ field, code }) => `${field} ${code}`)

describe('An invoice', () => {
  test('is ISSUED while something is open, and PAID when its payments reach its total', async () => {
    const id = await issue(1000)
    expect(await amountsOf(id)).toEqual({ status: 'ISSUED', total_minor: 1000, paid_minor: 0, open_minor: 1000 })
    const { data } = (await pay(id, 400)).body
    expect(await amountsOf(id)).toEqual({ status: 'ISSUED', total_minor: 1000, paid_minor: 400, open_minor: 600 })
    expect((await pay(id, 600)).status).toBe(201)
    expect(await amountsOf(id)).toEqual({ status: 'PAID', total_minor: 1000, paid_minor: 1000, open_minor: 0 })
    await change('payments', data.id, { status: 'VOID' })
    expect(await amountsOf(id)).toEqual({ status: 'ISSUED', total_minor: 1000, paid_minor: 600, open_minor: 400 })
  })

  test('that is paid too much has what was paid, and nothing open', async () => {
    const id = await issue(1000)
    await pay(id, 1500)
    expect(await amountsOf(id)).toEqual({ status: 'PAID', total_minor: 1000, paid_minor: 1500, open_minor: 0 })
  })

  test('of 0 is PAID when it is issued, and can be VOID', async () => {
    const id = await issue(0)
    expect((await amountsOf(id)).status).toBe('PAID')
    const draft = await admin.company.record('invoices', { client_id: client, ...days, lines: linesOf(0) })
    expect((await change('invoices', draft, { status: 'ISSUED' })).status).toBe(200)
    expect((await amountsOf(draft)).status).toBe('PAID')
    expect((await change('invoices', draft, { status: 'VOID' })).status).toBe(200)
  })

  test('as a draft and as VOID has nothing open', async () => {
    const draft = await issue(500, { status: 'DRAFT' })
    expect(await amountsOf(draft)).toEqual({ status: 'DRAFT', total_minor: 500, paid_minor: 0, open_minor: 0 })
    const id = await issue(500)
    expect((await change('invoices', id, { status: 'VOID' })).status).toBe(200)
    expect(await amountsOf(id)).toEqual({ status: 'VOID', total_minor: 500, paid_minor: 0, open_minor: 0 })
  })

  test('becomes PAID by nobody who sends it', async () => {
    const id = await issue(100)
    expect(errorsOf(await change('invoices', id, { status: 'PAID' }))).toEqual(['status transition_not_allowed'])
    const body = { client_id: client, status: 'PAID', ...days, lines: linesOf(100) }
    const created = await admin.ask('POST', '/console/records/invoices', body)
    expect(errorsOf(created)).toEqual(['status not_allowed'])
    expect(created.body.errors[0].message).toContain('create it ISSUED and record its payment')
    for (const amount of ['paid_minor', 'open_minor'])
      expect(errorsOf(await change('invoices', id, { [amount]: 5 }))).toEqual([`${amount} read_only`])
  })

  test('with payments is not VOID until those are', async () => {
    const id = await issue(1000)
    const { data } = (await pay(id, 400)).body
    expect(errorsOf(await change('invoices', id, { status: 'VOID' }))).toEqual(['status has_payments'])
    await change('payments', data.id, { status: 'VOID' })
    expect((await change('invoices', id, { status: 'VOID' })).status).toBe(200)
    expect(await amountsOf(id)).toEqual({ status: 'VOID', total_minor: 1000, paid_minor: 0, open_minor: 0 })
  })

  test('that is PAID is not VOID until its payments are', async () => {
    const id = await issue(1000)
    await pay(id, 1000)
    expect(errorsOf(await change('invoices', id, { status: 'VOID' }))).toEqual(['status has_payments'])
  })
})

describe('A payment', () => {
  test.each([
    ['a draft', { status: 'DRAFT' }],
    ['a VOID invoice', { status: 'VOID' }],
  ])('of %s is refused', async (_name, body) => {
    expect(errorsOf(await pay(await issue(500, body), 100))).toEqual(['invoice_id not_issued'])
  })

  test.each([
    [{ amount_minor: 0 }, ['amount_minor out_of_range']],
    [{ amount_minor: 9_000_000_000_000_000 }, ['amount_minor out_of_range']],
    [{ method: 'SHELLS' }, ['method not_allowed']],
    [{ paid_on: '2026-02-30' }, ['paid_on wrong_format']],
    [{ reference: 'x'.repeat(141) }, ['reference too_long']],
    [{ status: 'DRAFT' }, ['status not_allowed']],
  ])('with %j is refused: %j', async (body, errors) => {
    const id = await issue(500)
    await pay(id, 1)
    expect(errorsOf(await pay(id, 100, body))).toEqual(errors)
  })

  test('of a day after the company’s today is refused, and of today is not', async () => {
    const own = await stage.admin()
    await stage.sql("update companies set time_zone = 'Pacific/Auckland' where id = $1", own.company.id)
    const client_id = await own.company.record('clients', { name: 'Ahead' })
    const body = { client_id, status: 'ISSUED', ...days, lines: linesOf(100) }
    const invoice_id = await own.company.record('invoices', body)
    const there = (offset: number) =>
      dayIn('Pacific/Auckland', new Date(stage.app.clock.now().getTime() + offset * dayMilliseconds))
    const record = (paid_on: string) =>
      own.ask('POST', '/console/records/payments', { invoice_id, amount_minor: 1, paid_on })
    expect(errorsOf(await record(there(1)))).toEqual(['paid_on in_future'])
    expect((await record(there(0))).status).toBe(201)
  })

  test.each([
    ['more than is open', {}, 501, ['amount_minor overpaid']],
    ['a day before the invoice was issued', { paid_on: '2026-02-28' }, 100, ['paid_on before_issue']],
    ['the same day and amount again', {}, 7, ['amount_minor same_payment']],
    ['the same amount of another day', { paid_on: '2026-03-16' }, 7, []],
    ['all that is open', {}, 493, []],
    ['both', { paid_on: '2026-02-28' }, 501, ['amount_minor overpaid', 'paid_on before_issue']],
  ])('of %s is asked about: %j, %j, %j', async (_name, body, amount, doubts) => {
    const id = await issue(500)
    await pay(id, 7)
    const answer = await pay(id, amount, body, '')
    expect(answer.status).toBe(doubts.length > 0 ? 409 : 201)
    const told = (answer.body.doubts ?? []) as { field: string; code: string }[]
    expect(told.map(({ field, code }) => `${field} ${code}`)).toEqual(doubts)
    if (doubts.length === 0) return
    expect((await amountsOf(id)).paid_minor).toBe(7)
    const accepts = told.map(({ code }) => code).join()
    expect((await pay(id, amount, body, accepts)).status).toBe(201)
    expect((await amountsOf(id)).paid_minor).toBe(7 + amount)
  })

  test('that is VOID counts for no doubt', async () => {
    const id = await issue(500)
    const { data } = (await pay(id, 500)).body
    await change('payments', data.id, { status: 'VOID' })
    expect((await pay(id, 500, {}, '')).status).toBe(201)
  })

  test('of another company’s invoice is refused', async () => {
    const other = await stage.admin()
    const theirs = await other.company.record('clients', { name: 'Theirs' })
    const id = await other.company.record('invoices', {
      client_id: theirs,
      status: 'ISSUED',
      ...days,
      lines: linesOf(100),
    })
    expect(errorsOf(await pay(id, 100))).toEqual(['invoice_id not_found'])
  })

  test('is changed and deleted by nobody, and VOID for good', async () => {
    const id = await issue(500)
    const { data } = (await pay(id, 100)).body
    expect(errorsOf(await change('payments', data.id, { amount_minor: 50 }))).toEqual(['amount_minor locked'])
    expect((await admin.ask('DELETE', `/console/records/payments/${data.id}`)).body.code).toBe('delete_blocked')
    await change('payments', data.id, { status: 'VOID' })
    const back = await change('payments', data.id, { status: 'RECEIVED' })
    expect(errorsOf(back)).toEqual(['status transition_not_allowed'])
  })

  test('is found by its reference, and listed with its invoice', async () => {
    const id = await issue(500)
    await pay(id, 100, { reference: 'RF18 5390 0754', method: 'TRANSFER' })
    const found = await admin.data('/console/records/payments?q=5390')
    expect(found).toMatchObject([{ invoice_id: id, amount_minor: 100, method: 'TRANSFER', status: 'RECEIVED' }])
    expect(await admin.data(`/console/records/payments/totals?invoice_id=${id}`)).toEqual({
      count: 1,
      sums: { amount_minor: 100 },
    })
  })

  test('keeps its invoice from being deleted', async () => {
    const id = await issue(500)
    await pay(id, 100)
    expect((await admin.ask('DELETE', `/console/records/invoices/${id}`)).body.code).toBe('delete_blocked')
  })
})

describe('An undo of a write that recorded payments', () => {
  const undo = (writeId: string) => admin.ask('POST', `/console/writes/${writeId}/undo`)

  test('sets them VOID, and their invoices follow', async () => {
    const id = await issue(500)
    const paid = await pay(id, 500)
    expect((await amountsOf(id)).status).toBe('PAID')
    const undone = await undo(paid.headers['x-write-id'] as string)
    expect([undone.status, undone.body.data]).toMatchObject([200, { undone: true, records: 1 }])
    expect(await amountsOf(id)).toEqual({ status: 'ISSUED', total_minor: 500, paid_minor: 0, open_minor: 500 })
    const payment = await admin.data(`/console/records/payments/${paid.body.data.id}`)
    expect(payment.status).toBe('VOID')
  })

  test('takes the file of a bank back as a whole', async () => {
    const ids = [await issue(500), await issue(300)]
    const operations = ids.map((invoice_id) => ({
      op: 'create',
      body: { invoice_id, amount_minor: 300, paid_on: '2026-03-20', method: 'TRANSFER' },
    }))
    const file = { file_name: 'bank.csv', fingerprint: crypto.randomUUID(), settings: { match: null }, rows: 2 }
    const begun = await admin.ask('POST', '/console/imports/payments', file)
    const writeId = begun.body.data.write_id
    const tried = await admin.ask('POST', '/console/records/payments/batch?dry_run=1', { operations })
    const written = await admin.ask(
      'POST',
      `/console/imports/payments/${writeId}/batches`,
      { from: 0, to: 2, operations },
      { 'If-Plan': `"${tried.body.plan.hash}"` },
    )
    expect(written.status, written.text).toBe(200)
    expect(await Promise.all(ids.map(amountsOf))).toMatchObject([
      { status: 'ISSUED', open_minor: 200 },
      { status: 'PAID', open_minor: 0 },
    ])
    expect((await undo(writeId)).body.data).toMatchObject({ undone: true, records: 2, remaining: 0 })
    expect(await Promise.all(ids.map(amountsOf))).toMatchObject([
      { status: 'ISSUED', open_minor: 500 },
      { status: 'ISSUED', open_minor: 300 },
    ])
  })

  test('passes over one that is VOID already', async () => {
    const id = await issue(500)
    const paid = await pay(id, 200)
    await change('payments', paid.body.data.id, { status: 'VOID' })
    expect((await undo(paid.headers['x-write-id'] as string)).status).toBe(200)
    expect((await amountsOf(id)).open_minor).toBe(500)
  })

  test('needs the right to change payments, and none to delete them', async () => {
    const id = await issue(500)
    const [paid, more] = [await pay(id, 200), await pay(id, 100)]
    const reader = await stage.person(admin.company, ['PAYMENTS_VIEW', 'PAYMENTS_DELETE', 'INVOICES_VIEW'])
    const refused = await reader.ask('POST', `/console/writes/${paid.headers['x-write-id']}/undo`)
    expect(refused).toMatchObject({ status: 403, body: { required_scope: 'PAYMENTS_EDIT' } })
    const clerk = await stage.person(admin.company, ['PAYMENTS_VIEW', 'PAYMENTS_EDIT'])
    expect((await clerk.ask('POST', `/console/writes/${more.headers['x-write-id']}/undo`)).status).toBe(200)
    expect((await amountsOf(id)).paid_minor).toBe(200)
  })
})

describe('Beside a process of an earlier version, which knows of no payments,', () => {
  const byOlder = (id: number, status: string) => stage.sql('update invoices set status = $1 where id = $2', status, id)

  test('what is open of an invoice follows the states that it sets', async () => {
    const id = await issue(700, { status: 'DRAFT' })
    for (const [status, open_minor] of [
      ['ISSUED', 700],
      ['PAID', 0],
      ['ISSUED', 700],
      ['VOID', 0],
    ] as const) {
      await byOlder(id, status)
      expect(await amountsOf(id), status).toMatchObject({ status, open_minor })
    }
    const made = await issue(700)
    await pay(made, 700)
    await byOlder(made, 'ISSUED')
    expect(await amountsOf(made)).toMatchObject({ status: 'ISSUED', paid_minor: 0, open_minor: 700 })
  })

  test('an invoice that it makes PAID stays so, and gets its payment of the day of that step', async () => {
    const [id, bare] = [await issue(700), await issue(300)]
    await byOlder(id, 'PAID')
    await byOlder(bare, 'PAID')
    await stage.sql("update invoices set updated_at = '2026-04-02T12:00:00Z' where id = $1", bare)
    await stage.sql(
      `insert into history (company_id, at, door, records, record_id, action, changes, write_id)
      values ($1, '2026-04-01T12:00:00Z', 'web', 'invoices', $2, 'changed', '{"status":["ISSUED","PAID"]}', null)`,
      admin.company.id,
      id,
    )
    await pay(id, 50)
    expect((await amountsOf(id)).status).toBe('PAID')
    expect(errorsOf(await change('invoices', id, { status: 'VOID' }))).toEqual(['status has_payments'])
    for (const _ of ['first start', 'next start']) await fillAll(stage.app.database)
    expect(await amountsOf(id)).toMatchObject({ status: 'PAID', paid_minor: 750, open_minor: 0 })
    expect(await amountsOf(bare)).toMatchObject({ status: 'PAID', paid_minor: 300, open_minor: 0 })
    const paymentsOf = (invoice: number) =>
      admin.data(`/console/records/payments?invoice_id=${invoice}&sort=-amount_minor`)
    expect(await paymentsOf(id)).toMatchObject([
      { amount_minor: 700, paid_on: '2026-04-01', method: 'OTHER', status: 'RECEIVED' },
      { amount_minor: 50 },
    ])
    expect(await paymentsOf(bare)).toMatchObject([{ amount_minor: 300, paid_on: '2026-04-02' }])
  })
})

describe('At once', () => {
  const rounds = 200

  test('two payments are both added, and the invoice is PAID', async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await issue(100)
      const both = await Promise.all([pay(id, 60), pay(id, 40)])
      expect(both.map(({ status }) => status)).toEqual([201, 201])
      expect(await amountsOf(id)).toEqual({ status: 'PAID', total_minor: 100, paid_minor: 100, open_minor: 0 })
    }
  })

  test('of a payment and VOID one is refused', async () => {
    const won = { payment: 0, void: 0 }
    for (let round = 0; round < rounds; round++) {
      const id = await issue(100)
      const [paid, voided] = await Promise.all([pay(id, 60), change('invoices', id, { status: 'VOID' })])
      const statuses = [paid.status, voided.status]
      if (paid.status === 201) {
        won.payment++
        expect([statuses, errorsOf(voided)]).toEqual([[201, 422], ['status has_payments']])
        expect(await amountsOf(id)).toMatchObject({ status: 'ISSUED', paid_minor: 60, open_minor: 40 })
      } else {
        won.void++
        expect([statuses, errorsOf(paid)]).toEqual([[422, 200], ['invoice_id not_issued']])
        expect(await amountsOf(id)).toMatchObject({ status: 'VOID', paid_minor: 0, open_minor: 0 })
      }
    }
    expect(won.payment + won.void).toBe(rounds)
  })
})
