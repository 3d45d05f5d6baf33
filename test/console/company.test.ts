import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { operator } from '#server/records/actor.ts'
import { todayOf } from '#server/records/today.ts'
import { makePng } from '../stage/png.ts'
import { billed, type Company } from '../stage/stage.ts'
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

describe('The logo', () => {
  const path = '/console/company/logo'
  const png = makePng
  const jpeg = Buffer.from('ffd8ffc0001108005a0140030000000000000000ffd9', 'hex')
  const put = (person: Person, bytes: Buffer, type?: string) =>
    fetch(`${stage.url}${path}`, {
      method: 'PUT',
      headers: { Cookie: person.cookie, 'Sec-Fetch-Site': 'same-origin', ...(type && { 'Content-Type': type }) },
      body: new Uint8Array(bytes),
    })
  const look = (person: Person, hash = '') =>
    fetch(`${stage.url}${path}${hash && `?hash=${hash}`}`, { headers: { Cookie: person.cookie } })
  const kept = async (company: Company) =>
    (await stage.sql<{ hash: string }>('select hash from company_logos where company_id = $1', company.id)).map(
      ({ hash }) => hash,
    )

  test('is saved, told by its hash, looked at by everybody of the company, and removed', async () => {
    const own = await stage.admin()
    expect((await look(own)).status).toBe(404)
    const picture = png(640, 200)
    const hash = createHash('sha256').update(picture).digest('hex')
    const saved = await put(own, picture, 'image/png')
    expect([saved.status, await saved.json()]).toEqual([200, { data: { logo: hash } }])
    expect((await own.data('/console/company')).logo).toBe(hash)
    const clerk = await stage.person(own.company, [])
    for (const answer of [await look(clerk), await look(clerk, hash)]) {
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('image/png')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-encoding')).toBeNull()
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture)
    }
    const stranger = await stage.admin()
    expect((await look(stranger, hash)).status).toBe(404)
    expect((await put(clerk, picture, 'image/png')).status).toBe(403)
    const removed = await own.ask('DELETE', path)
    expect(removed.body.data).toEqual({ logo: null })
    expect([(await look(own)).status, await kept(own.company)]).toEqual([404, []])
    const entries: { records: string; changes: object }[] = await own.data('/console/settings/history')
    const changes = entries.flatMap((entry) => (entry.records === 'companies' ? [entry.changes] : []))
    expect(changes.slice(0, 2)).toEqual([{ logo: ['PNG', null] }, { logo: [null, 'PNG'] }])
  })

  test('that is replaced goes, unless a paper names it', async () => {
    const own = await stage.admin()
    const client_id = await own.company.record('clients', { name: 'Client' })
    const hashes: string[] = []
    for (const [mark, isIssued] of [
      [1, false],
      [2, true],
      [3, false],
    ] as const) {
      const answer = await put(own, png(20, 20, mark), 'image/png')
      hashes.push(((await answer.json()) as { data: { logo: string } }).data.logo)
      if (!isIssued) continue
      const made = await own.ask('POST', '/console/records/invoices', { client_id, ...billed, status: 'ISSUED' })
      const { content } = await own.data(`/console/records/invoices/${made.body.data.id}/paper`)
      expect(content.letterhead.logo).toBe(hashes.at(-1))
    }
    expect((await kept(own.company)).toSorted()).toEqual([hashes[1], hashes[2]].toSorted())
    expect((await put(own, jpeg, 'image/jpeg')).status).toBe(200)
    expect(await kept(own.company)).toHaveLength(2)
    expect((await look(own, hashes[1])).status).toBe(200)
    expect((await look(own, hashes[2])).status).toBe(404)
  })

  test.each([
    ['gray and interlaced', makePng(3, 3, 0, { interlace: 1, data: Buffer.alloc(2 + 2 + 3 + 2 * 2 + 4) })],
    ['with a bit for each pixel', makePng(9, 2, 0, { bits: 1, data: Buffer.alloc(2 * 3) })],
    ['with transparency', makePng(2, 2, 0, { color: 6, data: Buffer.alloc(2 * 9) })],
  ])('%s is taken', async (_, picture) => {
    expect((await put(await stage.admin(), picture, 'image/png')).status).toBe(200)
  })

  const wrong: [string, number, string, Buffer, string | undefined][] = [
    ['above 256 KiB', 413, 'payload_too_large', Buffer.concat([png(9, 9), Buffer.alloc(256 * 1024)]), 'image/png'],
    ['as SVG', 415, 'unsupported_media_type', Buffer.from('<svg/>'), 'image/svg+xml'],
    ['as GIF', 415, 'unsupported_media_type', Buffer.from('GIF89a'), 'image/gif'],
    ['without a type', 415, 'unsupported_media_type', png(9, 9), undefined],
    ['whose bytes are not of its type', 422, 'wrong_format', png(9, 9), 'image/jpeg'],
    ['that is a script', 422, 'wrong_format', Buffer.from('<script>alert(1)</script>'), 'image/png'],
    ['that is empty', 422, 'wrong_format', Buffer.alloc(0), 'image/png'],
    ['without pixels', 422, 'wrong_format', png(640, 200).subarray(0, 40), 'image/png'],
    ['with fewer rows than it states', 422, 'wrong_format', png(9, 9, 0, { data: Buffer.alloc(80) }), 'image/png'],
    ['that unpacks to more than its size', 422, 'wrong_format', png(9, 9, 0, { data: Buffer.alloc(2e8) }), 'image/png'],
    ['whose rows name no filter', 422, 'wrong_format', png(1, 1, 0, { data: Buffer.from([5, 0]) }), 'image/png'],
    ['of a color that there is not', 422, 'wrong_format', png(9, 9, 0, { color: 5 }), 'image/png'],
    ['that is too wide', 422, 'out_of_range', png(2001, 9), 'image/png'],
    ['that is too high', 422, 'out_of_range', png(9, 2001), 'image/png'],
  ]
  test.each(wrong)('%s is %i %s, and the present one stays', async (_, status, code, picture, type) => {
    await put(admin, png(2000, 2000), 'image/png')
    const before = (await admin.data('/console/company')).logo
    const answer = await put(admin, picture, type)
    const body = (await answer.json()) as { code: string; errors?: { field: string; code: string }[] }
    expect([answer.status, body.errors?.[0]?.code ?? body.code]).toEqual([status, code])
    if (status === 415) expect(answer.headers.get('accept')).toBe('image/png, image/jpeg')
    expect((await admin.data('/console/company')).logo).toBe(before)
    expect(before).toMatch(/^[0-9a-f]{64}$/)
  })
})
