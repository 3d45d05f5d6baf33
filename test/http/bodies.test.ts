import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readJson } from '#server/protocol/body.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`

describe('A body that cannot be read, or could not be kept as sent, gets 400 malformed_json [V1.5.2] [V15.3.6]', () => {
  const rows: { why: string; raw: string | Buffer }[] = [
    { why: 'nothing', raw: '' },
    { why: 'half an object', raw: '{"name":"X"' },
    { why: 'a comma too many', raw: '{"name":"X",}' },
    { why: 'single quotes', raw: "{'name':'X'}" },
    { why: 'two documents', raw: '{"name":"X"}{"name":"Y"}' },
    { why: 'NaN', raw: '{"name":"X","credit_limit_minor":NaN}' },
    { why: 'a member twice', raw: '{"name":"X","name":"Y"}' },
    { why: 'a member twice, spelt differently', raw: '{"name":"X","n\\u0061me":"Y"}' },
    { why: 'a member twice inside an object', raw: '{"name":"X","billing_address":{"city":"A","city":"B"}}' },
    { why: '__proto__', raw: '{"name":"X","__proto__":{"notes":"y"}}' },
    { why: 'a number that becomes infinite', raw: '{"name":"X","credit_limit_minor":1e400}' },
    { why: 'a whole number beyond 2^53', raw: '{"name":"X","credit_limit_minor":9007199254740993}' },
    { why: 'a number that becomes zero', raw: '{"name":"X","credit_limit_minor":1e-400}' },
    { why: 'more decimals than a double keeps', raw: '{"name":"X","credit_limit_minor":1.00000000000000000001}' },
    { why: 'the same inside a line', raw: '{"lines":[{"description":"X","quantity":1.00000000000000000001}]}' },
    { why: 'a fraction that no double is', raw: '{"name":"X","payment_terms_days":0.10000000000000001}' },
    { why: 'a number below all doubles', raw: '{"name":"X","payment_terms_days":4.9e-324}' },
    {
      why: 'a whole number beyond 2^53, with an exponent',
      raw: '{"name":"X","credit_limit_minor":9.007199254740993e15}',
    },
    { why: 'half of a surrogate pair', raw: '{"name":"X\\ud800"}' },
    { why: 'half of a surrogate pair as a name', raw: '{"name":"X","\\udc00":1}' },
    { why: 'a number of half a million zeros', raw: `{"name":"X","credit_limit_minor":1${'0'.repeat(500_000)}1}` },
    { why: 'a text of quotes that never ends', raw: `{"name":"X${'\\"'.repeat(400_000)}` },
    { why: 'NUL', raw: '{"name":"X\\u0000Y"}' },
    {
      why: 'bytes that are not UTF-8',
      raw: Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
    },
    { why: 'UTF-16', raw: Buffer.from('{"name":"X"}', 'utf16le') },
    { why: 'nesting beyond 32 levels', raw: nested(33) },
    { why: 'nesting beyond any stack', raw: '['.repeat(200_000) },
    { why: 'more than 10,000 members', raw: `{"name":"X"${',"a":1'.repeat(10_000)}}` },
    { why: 'more than 10,000 items in all lists', raw: `{"name":"X","lines":[${'[1,2,3],'.repeat(3000)}1]}` },
  ]
  test.each(rows)('$why', async ({ raw }) => {
    const { status, body } = await company.call('POST', '/v1/clients', { raw })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'malformed_json' })
    expect((await company.get('/v1/clients?q=X')).body.meta.total).toBe(0)
  })
})

describe('What another program worked out is judged at its field', () => {
  const rows: { why: string; path: string; raw: string; errors: [field: string, code: string, says: RegExp][] }[] = [
    {
      why: '0.1 + 0.2 with four decimals allowed',
      path: '/v1/estimates',
      raw: '{"title":"T","tax_pct":0.30000000000000004}',
      errors: [['tax_pct', 'wrong_format', /at most 4 decimals/]],
    },
    {
      why: '3 * 1.1 inside a line, and another mistake beside it',
      path: '/v1/estimates',
      raw: '{"title":7,"lines":[{"description":"D","quantity":3.3000000000000003}]}',
      errors: [
        ['title', 'wrong_type', /./],
        ['lines[0].quantity', 'wrong_format', /at most 4 decimals/],
      ],
    },
    {
      why: '4.35 * 100 for cents',
      path: '/v1/clients',
      raw: '{"name":"X","credit_limit_minor":434.99999999999994}',
      errors: [['credit_limit_minor', 'wrong_type', /whole number/]],
    },
    {
      why: 'the smallest number there is',
      path: '/v1/estimates',
      raw: '{"title":"T","tax_pct":5e-324}',
      errors: [['tax_pct', 'wrong_format', /at most 4 decimals/]],
    },
    {
      why: 'one where no number belongs',
      path: '/v1/clients',
      raw: '{"name":-0.30000000000000004}',
      errors: [['name', 'wrong_type', /text/]],
    },
  ]
  test.each(rows)('$why', async ({ path, raw, errors }) => {
    const { status, body } = await company.call('POST', path, { raw })
    expect(status).toBe(422)
    expect(body.errors).toHaveLength(errors.length)
    for (const [index, [field, code, says]] of errors.entries()) {
      expect(body.errors[index]).toMatchObject({ field, code })
      expect(body.errors[index].message).toMatch(says)
    }
  })

  test('every number that a program writes is read as that number, and none as another [V1.4.2]', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 0, max: 21 }),
        (value, more) => {
          const isKept = !Number.isInteger(value) || Number.isSafeInteger(value)
          for (const text of [JSON.stringify(value), value.toExponential()]) {
            if (isKept) expect(readJson(text)).toBe(value === 0 ? Number(text) : value)
            else expect(() => readJson(text)).toThrow('cannot be kept exactly')
          }
          // With so many decimals it may be another number: then it is not taken for the one it reads as.
          const longer = Math.abs(value) < 1e15 ? value.toFixed(more) : '1'
          const isSame = sameNumber(longer, Number(longer))
          if (isSame) expect(readJson(longer)).toBe(Number(longer))
          else expect(() => readJson(longer)).toThrow('cannot be kept exactly')
        },
      ),
    )
  })
})

/** Whether a decimal text without an exponent is the number that a double is written as. */
function sameNumber(text: string, value: number): boolean {
  const scaled = (number: string, places: number): bigint => {
    const [mantissa = '', exponent = '0'] = number.split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    const shift = places - fraction.length + Number(exponent)
    if (shift < 0) throw new Error('more places are needed')
    return BigInt(whole + fraction) * 10n ** BigInt(shift)
  }
  return scaled(text, 400) === scaled(String(value), 400)
}

describe('JSON that can be read and is no acceptable record gets 422', () => {
  const rows: { why: string; raw: string; errors: [field: string, code: string][] }[] = [
    { why: 'a list', raw: '[]', errors: [['', 'wrong_type']] },
    { why: 'null', raw: 'null', errors: [['', 'wrong_type']] },
    { why: 'a string', raw: '"name"', errors: [['', 'wrong_type']] },
    { why: 'nothing required', raw: '{}', errors: [['name', 'required']] },
    {
      why: '32 levels, all unknown',
      raw: nested(32),
      errors: [
        ['a', 'unknown_field'],
        ['name', 'required'],
      ],
    },
    { why: 'an unknown member', raw: '{"name":"X","nam":"Y"}', errors: [['nam', 'unknown_field']] },
    {
      why: 'a name of every object',
      raw: '{"name":"X","constructor":1,"toString":2}',
      errors: [
        ['constructor', 'unknown_field'],
        ['toString', 'unknown_field'],
      ],
    },
    {
      why: 'what only the service sets',
      raw: '{"name":"X","id":7,"created_at":null,"currency":"EUR"}',
      errors: [
        ['id', 'read_only'],
        ['created_at', 'read_only'],
        ['currency', 'read_only'],
      ],
    },
    { why: 'null for what is required', raw: '{"name":null}', errors: [['name', 'required']] },
    { why: 'blanks for what is required', raw: '{"name":"  \\t "}', errors: [['name', 'too_short']] },
    { why: 'an empty text', raw: '{"name":"X","notes":""}', errors: [['notes', 'too_short']] },
    { why: 'a number for a text', raw: '{"name":7}', errors: [['name', 'wrong_type']] },
    {
      why: 'a text for a number',
      raw: '{"name":"X","payment_terms_days":"30"}',
      errors: [['payment_terms_days', 'wrong_type']],
    },
    {
      why: 'a boolean for a number',
      raw: '{"name":"X","credit_limit_minor":true}',
      errors: [['credit_limit_minor', 'wrong_type']],
    },
    {
      why: 'half a cent',
      raw: '{"name":"X","credit_limit_minor":0.5}',
      errors: [['credit_limit_minor', 'wrong_type']],
    },
    {
      why: 'a negative amount',
      raw: '{"name":"X","credit_limit_minor":-1}',
      errors: [['credit_limit_minor', 'out_of_range']],
    },
    {
      why: 'an amount too large',
      raw: '{"name":"X","credit_limit_minor":9000000000000001}',
      errors: [['credit_limit_minor', 'out_of_range']],
    },
    {
      why: 'too many days',
      raw: '{"name":"X","payment_terms_days":366}',
      errors: [['payment_terms_days', 'out_of_range']],
    },
    { why: 'an e-mail without a dot', raw: '{"name":"X","email":"a@localhost"}', errors: [['email', 'wrong_format']] },
    { why: 'an e-mail with two @', raw: '{"name":"X","email":"a@b@c.de"}', errors: [['email', 'wrong_format']] },
    {
      why: 'a telephone number with letters',
      raw: '{"name":"X","phone":"0800 FLOWERS"}',
      errors: [['phone', 'wrong_format']],
    },
    {
      why: 'a script for a web address',
      raw: '{"name":"X","website":"javascript:alert(1)//example.com"}',
      errors: [['website', 'wrong_format']],
    },
    { why: 'a choice in small letters', raw: '{"name":"X","status":"active"}', errors: [['status', 'not_allowed']] },
    {
      why: 'a country that is none',
      raw: '{"name":"X","billing_address":{"country":"XX"}}',
      errors: [['billing_address.country', 'wrong_format']],
    },
    {
      why: 'a member that an address lacks',
      raw: '{"name":"X","billing_address":{"zip":"1"}}',
      errors: [['billing_address.zip', 'unknown_field']],
    },
    {
      why: 'a list for an address',
      raw: '{"name":"X","billing_address":[]}',
      errors: [['billing_address', 'wrong_type']],
    },
    {
      why: 'a reference to nothing',
      raw: '{"name":"X","category_id":999999999}',
      errors: [['category_id', 'not_found']],
    },
    { why: 'a reference of 0', raw: '{"name":"X","category_id":0}', errors: [['category_id', 'out_of_range']] },
    {
      why: 'all mistakes at once',
      raw: '{"name":"","email":"xyz","phone":1,"nope":2}',
      errors: [
        ['name', 'too_short'],
        ['email', 'wrong_format'],
        ['phone', 'wrong_type'],
        ['nope', 'unknown_field'],
      ],
    },
  ]
  test.each(rows)('$why', async ({ raw, errors }) => {
    const { status, body } = await company.call('POST', '/v1/clients', { raw })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' })
    expect(body.errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual(errors)
    for (const { message } of body.errors) expect(message.length).toBeGreaterThan(5)
    expect((await company.get('/v1/clients?q=X')).body.meta.total).toBe(0)
  })
})

describe('A refusal is not many times the size of what it refuses', () => {
  const members = (count: number, name: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${JSON.stringify(name(index))}:0`).join(',')
  const unknown = ({ code }: { code: string }) => code === 'unknown_field'

  test('of 9,000 unknown members a hundred are named, the others counted, and every known field is judged [V15.3.3]', async () => {
    const raw = `{${members(9_000, (index) => `m${index}`)},"name":7,"phone":1}`
    const { status, text, body } = await company.call('POST', '/v1/clients', { raw })
    expect(status).toBe(422)
    expect(body.errors.filter(unknown)).toHaveLength(101)
    expect(body.errors.filter((error: { code: string }) => !unknown(error))).toMatchObject([
      { field: 'name', code: 'wrong_type' },
      { field: 'phone', code: 'wrong_type' },
    ])
    expect(body.errors.at(-1)).toEqual({
      field: '',
      code: 'unknown_field',
      message: 'The body has 8900 more members that are no fields here',
    })
    expect(body.detail.length).toBeLessThan(2000)
    expect(text.length).toBeLessThan(60_000)
  })

  test('the hundred are those of the whole body, the lines of a list together', async () => {
    const line = `{${members(90, (index) => `m${index}`)}}`
    const raw = `{"title":"X","lines":[${Array.from({ length: 100 }, () => line).join(',')}]}`
    const { body } = await company.call('POST', '/v1/estimates', { raw })
    expect(body.errors.filter(unknown)).toHaveLength(101)
    expect(body.errors.at(-1).message).toContain('8900 more')
    // Each line also lacks what a line must have.
    expect(body.errors.filter(({ code }: { code: string }) => code === 'required').length).toBeGreaterThanOrEqual(100)
  })

  test('a name as long as the body is cut', async () => {
    const { body, text } = await company.call('POST', '/v1/clients', { raw: `{"name":"X","${'y'.repeat(900_000)}":1}` })
    expect(body.errors).toMatchObject([{ field: `${'y'.repeat(100)}…`, code: 'unknown_field' }])
    expect(text.length).toBeLessThan(2000)
  })
})

describe('What is stored is what was sent [V1.1.2]', () => {
  const rows: { why: string; field?: string; sent: string; stored: string }[] = [
    { why: 'blanks around a text are trimmed', sent: '  Trimmed \n', stored: 'Trimmed' },
    { why: 'blanks inside are not', sent: 'two  blanks', stored: 'two  blanks' },
    { why: 'markup is text', sent: '<b onclick=x>&amp;</b>', stored: '<b onclick=x>&amp;</b>' },
    { why: 'quotes and backslashes', sent: `a"b\\c'd`, stored: `a"b\\c'd` },
    { why: 'emoji and combined letters', sent: '👷🏽‍♀️ e\u0301', stored: '👷🏽‍♀️ e\u0301' },
    { why: 'letters from right to left', sent: 'שלום عالم', stored: 'שלום عالم' },
    { why: '200 letters beyond the basic plane', sent: '𝒜'.repeat(200), stored: '𝒜'.repeat(200) },
    {
      ...{ why: 'control characters other than NUL in a text of several lines', field: 'notes' },
      ...{ sent: 'a\u0001b\u007fc', stored: 'a\u0001b\u007fc' },
    },
  ]
  test.each(rows)('$why', async ({ field = 'name', sent, stored }) => {
    const id = await company.create('clients', { name: 'N', [field]: sent })
    expect((await company.get(`/v1/clients/${id}`)).body.data[field]).toBe(stored)
  })

  test('201 letters are one too many', async () => {
    const { body } = await company.call('POST', '/v1/clients', { body: { name: '𝒜'.repeat(201) } })
    expect(body.errors).toMatchObject([{ field: 'name', code: 'too_long' }])
  })

  test('the largest amount survives', async () => {
    const id = await company.create('clients', { name: 'Rich', credit_limit_minor: 9_000_000_000_000_000 })
    expect((await company.get(`/v1/clients/${id}`)).text).toContain('"credit_limit_minor":9000000000000000')
  })
})

describe('Media types', () => {
  const rows: { method: string; type: string | undefined; more?: Record<string, string>; status: number }[] = [
    { method: 'POST', type: 'application/json', status: 201 },
    { method: 'POST', type: 'application/json; charset=utf-8', status: 201 },
    { method: 'POST', type: 'Application/JSON; charset="UTF-8"', status: 201 },
    { method: 'PATCH', type: 'application/merge-patch+json', status: 200 },
    { method: 'PATCH', type: 'application/json', status: 200 },
    { method: 'POST', type: 'application/merge-patch+json', status: 415 },
    { method: 'POST', type: 'text/plain', status: 415 },
    { method: 'PATCH', type: 'text/plain', status: 415 },
    { method: 'PATCH', type: 'application/json', more: { 'Content-Encoding': 'br' }, status: 415 },
    { method: 'POST', type: 'application/x-www-form-urlencoded', status: 415 },
    { method: 'POST', type: 'application/jsonp', status: 415 },
    { method: 'POST', type: 'application/json; charset=latin1', status: 415 },
    { method: 'POST', type: undefined, status: 415 },
    { method: 'POST', type: '', status: 415 },
    { method: 'POST', type: 'application/json', more: { 'Content-Encoding': 'gzip' }, status: 415 },
    { method: 'POST', type: 'application/json', more: { 'Content-Encoding': 'identity' }, status: 201 },
  ]
  test.each(rows)('$method with $type $more: $status [V5.2.3]', async ({ method, type, more = {}, status }) => {
    const path = method === 'POST' ? '/v1/clients' : `/v1/clients/${await company.create('clients', { name: 'Typed' })}`
    const headers: [string, string][] = [['Authorization', `Bearer ${company.token}`], ...Object.entries(more)]
    if (type !== undefined) headers.push(['Content-Type', type])
    const answer = await stage.send({ method, path, headers, body: '{"name":"Typed too"}' })
    expect(answer.status).toBe(status)
    if (status !== 415) return
    expect(answer.headers.accept).toContain('application/json')
    // RFC 5789 2.2, RFC 9110 12.5.3
    expect(answer.headers['accept-patch']).toBe(method === 'PATCH' ? answer.headers.accept : undefined)
    expect(answer.headers['accept-encoding']).toBe(more['Content-Encoding'] ? 'identity' : undefined)
  })

  test('Content-Type given twice is refused', async () => {
    const type: [string, string] = ['Content-Type', 'application/json']
    const headers: [string, string][] = [['Authorization', `Bearer ${company.token}`], type, type]
    const answer = await stage.send({ method: 'POST', path: '/v1/clients', headers, body: '{"name":"X"}' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
  })
})

describe('Size', () => {
  const sized = (bytes: number) => {
    const start = '{"name":"Big","notes":"'
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
  }
  test('1 MiB is read', async () => {
    const { body } = await company.call('POST', '/v1/clients', { raw: sized(1024 * 1024) })
    expect(body.errors).toMatchObject([{ field: 'notes', code: 'too_long' }])
  })
  test.each([1024 * 1024 + 1, 3 * 1024 * 1024])('%d bytes are 413 payload_too_large', async (bytes) => {
    const { status, body } = await company.call('POST', '/v1/clients', { raw: sized(bytes) })
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'payload_too_large' })
  })
  test('also when the size is not announced', async () => {
    const headers: [string, string][] = [
      ['Authorization', `Bearer ${company.token}`],
      ['Content-Type', 'application/json'],
      ['Transfer-Encoding', 'chunked'],
    ]
    const answer = await stage.send({ method: 'POST', path: '/v1/clients', headers, body: sized(2 * 1024 * 1024) })
    expect(answer.body.code).toBe('payload_too_large')
  })
})

describe('PATCH merges (RFC 7396)', () => {
  test('absent keeps, null clears, a value replaces', async () => {
    const id = await company.create('clients', {
      name: 'Merge',
      notes: 'keep',
      phone: '+44 1234 567',
      contact_name: 'A',
    })
    const { body } = await company.call('PATCH', `/v1/clients/${id}`, { body: { phone: null, contact_name: 'B' } })
    expect(body.data).toEqual({ id, updated: true, dry_run: false, changed: ['contact_name', 'phone'] })
    expect((await company.get(`/v1/clients/${id}`)).body.data).toMatchObject({
      name: 'Merge',
      notes: 'keep',
      phone: null,
      contact_name: 'B',
    })
  })

  test('an address is merged member by member, and one that says nothing is none', async () => {
    const id = await company.create('clients', { name: 'At', billing_address: { city: 'Bath', line1: '1 Row' } })
    const address = async () => (await company.get(`/v1/clients/${id}`)).body.data.billing_address
    await company.call('PATCH', `/v1/clients/${id}`, { body: { billing_address: { country: 'GB', line1: null } } })
    expect(await address()).toEqual({
      line1: null,
      line2: null,
      city: 'Bath',
      region: null,
      postal_code: null,
      country: 'GB',
    })
    await company.call('PATCH', `/v1/clients/${id}`, { body: { billing_address: { country: null, city: null } } })
    expect(await address()).toBeNull()
  })

  test('a list is replaced whole', async () => {
    const id = await company.create('estimates', { title: 'L', lines: [{ description: 'a' }, { description: 'b' }] })
    await company.call('PATCH', `/v1/estimates/${id}`, {
      body: { lines: [{ description: 'c', quantity: 2, unit_price_minor: 150 }] },
    })
    const { data } = (await company.get(`/v1/estimates/${id}`)).body
    expect(data.lines).toEqual([{ description: 'c', quantity: 2, unit: null, unit_price_minor: 150 }])
    expect(data.total_minor).toBe(300)
  })

  test('nothing different changes nothing: the same ETag, and no new time', async () => {
    const created = await company.call('POST', '/v1/clients', { body: { name: 'Same' } })
    const path = `/v1/clients/${created.body.data.id}`
    const answer = await company.call('PATCH', path, { body: { name: ' Same ', notes: null } })
    expect(answer.body.data).toMatchObject({ updated: false, changed: [] })
    expect(answer.headers.etag).toBe(created.headers.etag)
  })

  test('an empty object is a patch that changes nothing', async () => {
    const id = await company.create('clients', { name: 'Empty' })
    expect((await company.call('PATCH', `/v1/clients/${id}`, { body: {} })).body.data.updated).toBe(false)
  })

  test('two callers who patch different fields at once both survive', async () => {
    const id = await company.create('clients', { name: 'Both' })
    const patches = [{ notes: 'one' }, { contact_name: 'other' }, { phone: '12345' }, { kind: 'PUBLIC' }]
    const answers = await Promise.all(patches.map((body) => company.call('PATCH', `/v1/clients/${id}`, { body })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await company.get(`/v1/clients/${id}`)).body.data).toMatchObject(Object.assign({}, ...patches))
  })

  test('a name cannot be cleared', async () => {
    const id = await company.create('clients', { name: 'Named' })
    const { body } = await company.call('PATCH', `/v1/clients/${id}`, { body: { name: null, status: null } })
    expect(body.errors).toMatchObject([
      { field: 'name', code: 'required' },
      { field: 'status', code: 'required' },
    ])
  })
})
