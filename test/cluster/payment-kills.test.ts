import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import { send } from '../stage/http.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import type { Company } from '../stage/stage.ts'
import { patience } from '../stage/stage.ts'

/** A real process takes payments and is killed between a payment and its answer. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const start = async () => {
  const process = await startProcess({
    ...patience,
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
  })
  onTestFinished(() => process.kill())
  return process
}

const pay = (url: string, invoice_id: number) =>
  send(url, {
    method: 'POST',
    path: '/console/records/payments',
    headers: [
      ['Cookie', admin.cookie],
      ['Content-Type', 'application/json'],
      ['Sec-Fetch-Site', 'same-origin'],
      ['Idempotency-Key', `payment-${invoice_id}`],
    ],
    body: JSON.stringify({ invoice_id, paid_on: '2026-03-02', amount_minor: 100 }),
  })

test('Of each payment the invoice and the payment are written or neither is, and a retry writes none twice.', async () => {
  const client_id = await admin.company.record('clients', { name: 'Quay' })
  const days = { issued_on: '2026-03-01', due_on: '2026-03-31' }
  const lines = [{ description: 'Wall', quantity: 1, unit_price_minor: 100 }]
  const tellAll = () =>
    stage.sql<{ id: number; status: string; paid: number; received: number }>(
      `select i.id, i.status, i.paid_minor::int as paid, coalesce(sum(p.amount_minor), 0)::int as received
      from invoices i left join payments p on p.company_id = i.company_id and p.invoice_id = i.id
      where i.company_id = $1 group by i.id, i.status, i.paid_minor`,
      admin.company.id,
    )
  let written = 0
  for (const answersBefore of [0, 1, 5, 12]) {
    const ids: number[] = []
    for (let count = 0; count < 25; count++)
      ids.push(await admin.company.record('invoices', { client_id, status: 'ISSUED', ...days, lines }))
    const process = await start()
    const answered = new Set<number>()
    const enough = Promise.withResolvers<void>()
    const paying = Promise.allSettled(
      ids.map(async (id) => {
        const { status } = await pay(process.url, id)
        if (status !== 201) throw new Error(`answer ${status}`)
        answered.add(id)
        if (answered.size >= answersBefore) enough.resolve()
      }),
    )
    if (answersBefore > 0) await enough.promise
    await process.kill()
    await paying

    const rows = await tellAll()
    for (const { id, status, paid, received } of rows) {
      expect([paid, status], String(id)).toEqual(received === 0 ? [0, 'ISSUED'] : [100, 'PAID'])
      expect([0, 100]).toContain(received)
      if (answered.has(Number(id))) expect(received).toBe(100)
    }
    written = rows.filter(({ received }) => received === 100).length

    const next = await start()
    const retried = await Promise.all(ids.map((id) => pay(next.url, id)))
    expect(retried.map(({ status }) => status)).toEqual(ids.map(() => 201))
    expect(await next.stop()).toBe(0)
    for (const row of await tellAll()) expect(row).toMatchObject({ status: 'PAID', paid: 100, received: 100 })
  }
  expect(written).toBeGreaterThan(0)
})
