import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** What people see as equal is equal, and what they look for is found. */

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

describe('A unique value that people see as equal to another record’s is refused as taken', () => {
  const rows: { records: string; field: string; value: string; equal: string }[] = [
    { records: 'projects', field: 'code', value: 'ΟΔΟΣ-1', equal: 'οδος-1' },
    { records: 'projects', field: 'external_ref', value: 'Café-1', equal: 'CAFE\u0301-1' },
    { records: 'workers', field: 'employee_no', value: 'Øl-1', equal: 'øL-1' },
    { records: 'clients', field: 'tax_id', value: 'ЙОД-1', equal: 'йод-1' },
    { records: 'equipment', field: 'serial_number', value: 'İ-1', equal: 'i-1' },
  ]
  test.each(rows)('$records.$field: $value and $equal', async ({ records, field, value, equal }) => {
    const named = records === 'projects' ? 'P' : 'N'
    const id = await company.create(records, { name: named, [field]: value })
    const refused = { status: 422, body: { errors: [{ field, code: 'not_unique' }] } }
    expect(await company.call('POST', `/v1/${records}`, { body: { name: named, [field]: equal } })).toMatchObject(
      refused,
    )
    const other = await company.create(records, { name: named, [field]: 'another' })
    expect(await company.call('PATCH', `/v1/${records}/${other}`, { body: { [field]: equal } })).toMatchObject(refused)
    // The record itself may spell it so.
    expect((await company.call('PATCH', `/v1/${records}/${id}`, { body: { [field]: equal } })).status).toBe(200)
    expect((await company.call('DELETE', `/v1/${records}/${other}`)).status).toBe(200)
  })

  test('in one batch, too', async () => {
    const operations = ['ΣΤΟΑΣ', 'στοας'].map((code) => ({
      op: 'create',
      records: 'projects',
      body: { name: 'P', code },
    }))
    const { status, body } = await company.call('POST', '/v1/batch', { body: { mode: 'all', operations } })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'batch_refused' })
  })

  test('An external reference finds its record however it is spelled, and one upsert follows another.', async () => {
    const id = await company.create('clients', { name: 'N', external_ref: 'ΠΕΛΑΤΗΣ-7' })
    for (const spelling of ['πελατης-7', 'Πελατησ-7', 'ΠΕΛΑΤΗΣ-7']) {
      const path = `/v1/clients/by/external_ref/${encodeURIComponent(spelling)}`
      expect((await company.get(path)).body.data.id).toBe(id)
      expect((await company.call('PUT', path, { body: { name: spelling } })).body).toMatchObject({ data: { id } })
      expect((await company.get(`/v1/clients?external_ref=${encodeURIComponent(spelling)}`)).body.meta.total).toBe(1)
    }
  })
})

describe('A text is refused where nobody sees it, or a part of it', () => {
  const rows: { why: string; records?: string; body: object; field: string; code?: string }[] = [
    ...['\u200b', '\u2060', '\u00ad', '\u2800', '\u3164', '\u200e', '\u202e\u2066', ' \u200b \u2060 '].map((name) => ({
      why: `a name of ${JSON.stringify(name)} alone`,
      body: { name },
      field: 'name',
    })),
    ...['\t', '\n', '\r', '\u0007', '\u001b', '\u0085'].map((character) => ({
      why: `a name with ${JSON.stringify(character)}`,
      body: { name: `Quay${character}Ltd` },
      field: 'name',
    })),
    {
      why: 'a control character in an optional text',
      body: { name: 'N', contact_name: 'A\tB' },
      field: 'contact_name',
    },
    { why: 'one in a reference', body: { name: 'N', external_ref: 'A\u0001B' }, field: 'external_ref' },
    {
      why: 'one in an address',
      body: { name: 'N', billing_address: { city: 'A\u0001B' } },
      field: 'billing_address.city',
    },
    {
      why: 'a line that nobody sees',
      records: 'estimates',
      body: { title: 'T', lines: [{ description: '\u200b' }] },
      field: 'lines[0].description',
    },
    {
      why: 'an e-mail address with a zero-width blank',
      body: { name: 'N', email: 'a\u200bda@x.example' },
      field: 'email',
    },
    { why: 'one with a soft hyphen', body: { name: 'N', email: 'ada@x\u00ad.example' }, field: 'email' },
    {
      why: 'two e-mail addresses',
      body: { name: 'N', email: 'ada@x.example,bo@x.example' },
      field: 'email',
      code: 'wrong_format',
    },
    {
      why: 'two with a semicolon',
      body: { name: 'N', email: 'ada@x.example; bo@x.example' },
      field: 'email',
      code: 'wrong_format',
    },
    {
      why: 'other letters in a telephone number',
      body: { name: 'N', phone: '0221 CALL-ME' },
      field: 'phone',
      code: 'wrong_format',
    },
    {
      why: 'an invisible one in it',
      body: { name: 'N', phone: '\u202a0221 555010' },
      field: 'phone',
      code: 'wrong_format',
    },
    { why: 'one of 41 characters', body: { name: 'N', phone: '1'.repeat(41) }, field: 'phone', code: 'too_long' },
  ]
  test.each(rows)('$why', async ({ records = 'clients', body, field, code = 'invisible' }) => {
    const refused = { status: 422, body: { errors: [{ field, code }] } }
    expect(await company.call('POST', `/v1/${records}`, { body })).toMatchObject(refused)
  })

  test('but not in a text of several lines, and not beside what is seen.', async () => {
    const body = { name: 'Quay\u200b Ltd', notes: 'One\n\ttwo', contact_name: '\u2068Ada\u2069' }
    const id = await company.create('clients', body)
    expect((await company.get(`/v1/clients/${id}`)).body.data).toMatchObject(body)
  })

  test('What is stored stays and is found, and is judged when somebody writes it.', async () => {
    const id = await company.create('clients', { name: 'N', external_ref: 'stored' })
    await stage.sql(`update clients set name = E'Old\\tname', external_ref = E'old\\tref' where id = $1`, id)
    const path = `/v1/clients/by/external_ref/${encodeURIComponent('OLD\tREF')}`
    expect((await company.get(path)).body.data.name).toBe('Old\tname')
    expect((await company.get('/v1/clients?external_ref=old%09ref')).body.meta.total).toBe(1)
    expect((await company.call('PUT', path, { body: { notes: 'x' } })).status).toBe(200)
    expect((await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Old\tname' } })).status).toBe(422)
    expect((await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'New name' } })).status).toBe(200)
  })
})

describe('A telephone number is kept as it is written', () => {
  const rows = [
    '+49 221 555010 ext. 12',
    '(603) 555-0142 x12',
    '(603) 555\u20130142 Ext 4',
    '+49\u00a0221\u202f555\u2011010',
    '+44\u200920\u20097946\u22120958',
    '1'.repeat(40),
  ]
  test.each(rows)('%j', async (phone) => {
    const id = await company.create('clients', { name: 'N', phone })
    expect((await company.get(`/v1/clients/${id}`)).body.data.phone).toBe(phone)
  })
})

describe('A telephone number is found by its digits', () => {
  const numbers: { [name: string]: string } = {
    Köln: '+49 221 555010',
    Kalk: '0221 / 555 010-7',
    Deutz: '+49 (0)221 5550-20',
    Keene: '(603) 555-0142 x12',
    Nashua: '+1 603 555 0142 ext. 9',
    short: '555010',
  }
  let searched: Company
  beforeAll(async () => {
    searched = await stage.company()
    for (const [name, phone] of Object.entries(numbers)) await searched.create('clients', { name, phone })
    await searched.create('clients', { name: 'Order 555010', contact_name: '2026-0145' })
    await searched.create('subcontractors', { name: 'Roofer', phone: '0221 555-010' })
    await searched.create('workers', { name: 'Mason', phone: '+49.221.555.010' })
  })

  const rows: [query: string, found: string[]][] = [
    ['+49221555010', ['Köln']],
    ['+49 221 555010', ['Köln']],
    ['0049 221 555010', ['Köln']],
    ['+49 (0)221 555010', ['Köln']],
    ['0221 555010', ['Köln', 'Kalk']],
    ['0221/555-020', ['Deutz']],
    ['555010', ['Köln', 'Kalk', 'short', 'Order 555010']],
    ['55501', ['Köln', 'Kalk', 'Keene', 'Nashua', 'short', 'Order 555010']],
    ['+1 603 555 0142', ['Keene', 'Nashua']],
    ['6035550142', ['Keene', 'Nashua']],
    ['555\u20130142', ['Keene', 'Nashua']],
    ['2026-0145', ['Order 555010']],
    ['99999', []],
    ['00000', []],
  ]
  test.each(rows)('%s', async (query, found) => {
    const { body } = await searched.get(`/v1/clients?q=${encodeURIComponent(query)}&fields=name`)
    const names = body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      Object.keys(numbers)
        .concat('Order 555010')
        .filter((name) => found.includes(name)),
    )
    expect(body.meta.total).toBe(found.length)
  })

  test.each([
    ['subcontractors', 'Roofer'],
    ['workers', 'Mason'],
  ])('of %s, and with a filter', async (records, name) => {
    const { body } = await searched.get(`/v1/${records}?q=%2B49%20221%20555010&status=ACTIVE`)
    expect(body.data.map((record: { name: string }) => record.name)).toEqual([name])
  })

  test('and of no other company', async () => {
    const other = await stage.company()
    expect((await other.get('/v1/clients?q=555010')).body.meta.total).toBe(0)
  })
})

describe('A search finds', () => {
  const rows: { why: string; name: string; query: string }[] = [
    { why: 'Greek capitals', name: 'ΛΙΜΑΝΙ Πειραιώς', query: 'λιμανι' },
    { why: 'Greek small letters by capitals', name: 'Στάσις αθηναίων', query: 'ΣΤΑΣΙΣ' },
    { why: 'a name with a soft hyphen', name: 'Ufer\u00admauer Nord', query: 'ufermauer' },
    { why: 'a name with a zero-width blank', name: 'Hafen\u200bkai Süd', query: 'hafenkai' },
    { why: 'a name by a text with one', name: 'Kranhaus', query: 'kran\u2060haus' },
    { why: 'a name by a text with a word that nobody sees', name: 'Speicherstadt', query: 'speicherstadt \u200b' },
  ]
  test.each(rows)('$why', async ({ name, query }) => {
    const id = await company.create('projects', { name })
    const { body } = await company.get(`/v1/projects?q=${encodeURIComponent(query)}`)
    expect(body.data.map((record: { id: number }) => record.id)).toEqual([id])
  })
})

test('A tax of four decimals is stored as sent, and its amount is rounded half up once.', async () => {
  const lines = [
    { description: 'D', unit_price_minor: 40 },
    { description: 'E', unit_price_minor: 9_960 },
  ]
  const body = { title: 'T', lines, discount_pct: 0.0125, tax_pct: 8.875 }
  const id = await company.create('estimates', body)
  expect((await company.get(`/v1/estimates/${id}`)).body.data).toMatchObject({
    ...{ discount_pct: 0.0125, tax_pct: 8.875 },
    ...{ subtotal_minor: 10_000, discount_minor: 1, tax_minor: 887, total_minor: 10_886 },
  })
  const refused = await company.call('PATCH', `/v1/estimates/${id}`, { body: { tax_pct: 8.87505 } })
  expect(refused.body.errors).toMatchObject([{ field: 'tax_pct', code: 'wrong_format' }])
  const firm = await company.create('subcontractors', { name: 'N', retention_pct: 9.975 })
  expect((await company.get(`/v1/subcontractors/${firm}`)).body.data.retention_pct).toBe(9.975)
})
