import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { operator } from '#server/records/actor.ts'
import { todayOf } from '#server/records/today.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** The company: its fields, its day, its logo. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** The clocks of the company and of the service, until the end of the test. */
async function at(timeZone: string, moment: string): Promise<void> {
  await stage.sql('update companies set time_zone = $2 where id = $1', admin.company.id, timeZone)
  vi.spyOn(stage.app.clock, 'now').mockReturnValue(new Date(moment))
}

test.each([
  ['UTC', '2026-06-30T23:30:00Z', '2026-06-30'],
  ['Pacific/Auckland', '2026-06-30T12:00:00Z', '2026-07-01'],
  ['America/Los_Angeles', '2026-07-01T06:59:00Z', '2026-06-30'],
])('In %s it is at %s the day %s, on the first page and in the name of a file.', async (zone, now, day) => {
  await at(zone, now)
  const { expiring, service_due } = await admin.data('/console/home')
  const later = (days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  expect([expiring.until, service_due.until]).toEqual([later(30), later(14)])
  const { headers } = await admin.get('/console/records/clients.csv')
  expect(headers['content-disposition']).toBe(`attachment; filename="clients-${day}.csv"`)
})

test('The pages get the zone, and a write of the operator reads it.', async () => {
  await at('Pacific/Kiritimati', '2026-01-01T00:00:00Z')
  expect((await admin.data('/console/me')).company).toMatchObject({ time_zone: 'Pacific/Kiritimati' })
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-31T10:00:00Z') })
  const day = await stage.inTransaction((transaction) => todayOf({ transaction, actor: operator(admin.company.id) }))
  expect(day).toBe('2026-04-01')
})

const whole = {
  name: 'Quay & Sons',
  currency: 'EUR',
  address: { line1: 'Am Kai 1', line2: null, city: 'Hamburg', region: null, postal_code: '20457', country: 'DE' },
  tax_id: 'DE123456789',
  registration_no: 'HRB 1234, Hamburg',
  email: 'office@quay.example',
  phone: '+49 40 555010',
  website: 'https://quay.example',
  bank_name: 'Kaibank',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  payment_terms_days: 14,
  valid_days: 60,
  tax_pct: 8.875,
  paper_language: 'de',
  footer: 'Geschäftsführerin: Ada Quay\nSitz: Hamburg',
  time_zone: 'Europe/Berlin',
}

describe('The fields of the company', () => {
  test('are saved as one, told as they were sent, and noted by field', async () => {
    const own = await stage.admin()
    const saved = await own.ask('PATCH', '/console/company', whole)
    expect(saved.body.data).toMatchObject(whole)
    expect(await own.data('/console/company')).toMatchObject(whole)
    const { company } = await own.data('/console/me')
    const { time_zone, payment_terms_days, valid_days, tax_pct } = whole
    expect(company).toMatchObject({ time_zone, payment_terms_days, valid_days, tax_pct, country: 'DE' })
    const [entry] = await own.data('/console/settings/history')
    expect(entry.changes).toMatchObject({
      iban: [null, whole.iban],
      tax_pct: [null, 8.875],
      address: [null, whole.address],
    })
  })

  test('that are not sent stay, and null empties what may be empty', async () => {
    const own = await stage.admin()
    await own.ask('PATCH', '/console/company', whole)
    const { body } = await own.ask('PATCH', '/console/company', {
      iban: null,
      address: { city: 'Altona' },
      valid_days: 0,
    })
    const { iban: _, ...others } = whole
    const address = { ...whole.address, city: 'Altona' }
    expect(body.data).toMatchObject({ ...others, iban: null, address, valid_days: 0 })
  })

  test.each([
    [{ iban: 'DE89370400440532013001' }, 'iban', 'wrong_format'],
    [{ iban: 'DE89 3704 0044 0532 0130 00' }, 'iban', 'wrong_format'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone', 'wrong_format'],
    [{ time_zone: '+02:00' }, 'time_zone', 'wrong_format'],
    [{ time_zone: null }, 'time_zone', 'required'],
    [{ name: null }, 'name', 'required'],
    [{ payment_terms_days: 366 }, 'payment_terms_days', 'out_of_range'],
    [{ tax_pct: 100.1 }, 'tax_pct', 'out_of_range'],
    [{ tax_pct: 8.87555 }, 'tax_pct', 'wrong_format'],
    [{ paper_language: 'fr' }, 'paper_language', 'not_allowed'],
    [{ footer: 'x'.repeat(501) }, 'footer', 'too_long'],
    [{ address: { country: 'XX' } }, 'address.country', 'wrong_format'],
    [{ website: 'javascript:alert(1)' }, 'website', 'wrong_format'],
    [{ email: 'quay' }, 'email', 'wrong_format'],
    [{ logo_hash: 'x' }, 'logo_hash', 'unknown_field'],
    [{ plan: 'PRO' }, 'plan', 'unknown_field'],
    [['name'], '', 'wrong_type'],
  ])('%j is refused at its field, and nothing is saved', async (change, field, code) => {
    const before = await admin.data('/console/company')
    const given = Array.isArray(change) ? change : { name: 'Other', ...change }
    const { status, body } = await admin.ask('PATCH', '/console/company', given)
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field, code })]])
    expect(await admin.data('/console/company')).toEqual(before)
  })

  test('can be set by the operator too, under the same checks', async () => {
    const own = await stage.admin()
    await own.company.set({ fields: { time_zone: 'Asia/Kolkata' } })
    expect((await own.data('/console/me')).company.time_zone).toBe('Asia/Kolkata')
    await expect(own.company.set({ fields: { time_zone: 'Europe' } })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })
})
