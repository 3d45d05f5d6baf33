import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { clients } from '#registry/resources/clients.ts'
import { fillAll } from '#server/jobs/fills.ts'
import { operator } from '#server/records/actor.ts'
import { erasePerson } from '#server/service/erase-person.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** What was issued and sent stays as it was. Decisions, Papers. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const lines = [{ description: 'Chimney', quantity: 2, unit_price_minor: 50_000 }]
const address = { line1: '1 Quay Street', line2: null, city: 'Bristol', region: null, postal_code: null, country: 'GB' }
const person = { name: 'Quay', contact_name: 'Ines', tax_id: null, billing_address: address }

const client = (more: JsonObject = {}) => admin.company.record('clients', { ...person, ...more })
const estimate = (client_id: number, more: JsonObject = {}) =>
  admin.company.record('estimates', { title: 'Chimney', client_id, lines, ...more })
const dates = { issued_on: '2026-03-01', due_on: '2026-03-31' }
const invoice = (client_id: number, more: JsonObject = {}) =>
  admin.company.record('invoices', { client_id, lines, ...dates, ...more })

const at = (records: string, id: number) => `/console/records/${records}/${id}`
const paperOf = (records: string, id: number) => admin.data(`${at(records, id)}/paper`)
const change = async (records: string, id: number, body: JsonObject) => {
  const answer = await admin.ask('PATCH', at(records, id), body)
  expect(answer.status, answer.text).toBe(200)
  return answer
}
const send = (records: string, id: number, body: JsonObject = {}, by: Person = admin) =>
  by.ask('POST', `${at(records, id)}/paper/sent`, { by: 'EMAIL', on: '2026-03-02', ...body })
const rows = (records: string, id: number) =>
  stage.sql<{ version: number; write_id: string; account_id: number | null; sent_by: string | null }>(
    `select version, write_id, account_id, sent_by from papers where company_id = $1 and records = $2 and record_id = $3
     order by id`,
    admin.company.id,
    records,
    id,
  )
const errorsOf = ({ status, body }: { status: number; body: { errors?: { field: string; code: string }[] } }) =>
  [status, ...(body.errors ?? []).map(({ field, code }) => `${field} ${code}`)].join(' ')

describe('A paper', () => {
  test('has the record as shown, its client and the company', async () => {
    const id = await invoice(await client(), { status: 'ISSUED', po_number: 'PO-4711', note: 'Thank you.' })
    const { record, addressee, letterhead } = (await paperOf('invoices', id)).content
    expect(record).toEqual(await admin.data(at('invoices', id)))
    expect(record).toMatchObject({ po_number: 'PO-4711', note: 'Thank you.', total_minor: 100_000 })
    expect(addressee).toEqual({ id: record.client_id, ...person })
    expect(letterhead).toMatchObject({ name: expect.any(String), currency: 'USD' })
  })

  test('of a draft shows what is so now, and is not fixed', async () => {
    const client_id = await client()
    const id = await invoice(client_id)
    expect(await paperOf('invoices', id)).toMatchObject({
      ...{ is_fixed: false, is_changed: false, version: 1, at: null, sent_on: null, sent_by: null },
      content: { addressee: { name: 'Quay' } },
    })
    await change('clients', client_id, { name: 'Mole' })
    expect((await paperOf('invoices', id)).content.addressee.name).toBe('Mole')
    expect(await rows('invoices', id)).toEqual([])
  })

  test('of a draft to nobody yet has no addressee', async () => {
    const id = await admin.company.record('estimates', { title: 'Open' })
    expect((await paperOf('estimates', id)).content.addressee).toBeNull()
  })

  test('is fixed by the write that issues, whose id and account it has, and by no other', async () => {
    const id = await invoice(await client())
    const issued = await change('invoices', id, { status: 'ISSUED' })
    const writeId = issued.headers['write-id'] ?? issued.headers['x-write-id']
    const first = { version: 2, account_id: admin.id, sent_by: null }
    expect(await rows('invoices', id)).toMatchObject([{ ...first, ...(writeId ? { write_id: writeId } : {}) }])
    const { total_minor } = await admin.data(`/console/records/invoices/${id}`)
    const payment = { invoice_id: id, paid_on: '2026-03-01', amount_minor: total_minor }
    const paid = await admin.company.record('payments', payment)
    await change('payments', paid, { status: 'VOID' })
    await change('invoices', id, { status: 'VOID' })
    expect(await rows('invoices', id)).toHaveLength(1)
    expect(await paperOf('invoices', id)).toMatchObject({ is_fixed: true, is_changed: false, version: 2 })
  })

  test('is changed by no later change of the client, the company or the record', async () => {
    const client_id = await client()
    const id = await invoice(client_id, { status: 'ISSUED' })
    const before = await paperOf('invoices', id)
    await change('clients', client_id, { name: 'Mole', tax_id: 'GB1', billing_address: null })
    await change('invoices', id, { status: 'VOID' })
    expect(await paperOf('invoices', id)).toEqual({ ...before, across: 'VOID' })
  })

  test('of an estimate that was sent is still what was sent, also when the estimate is changed', async () => {
    const id = await estimate(await client(), { status: 'SENT' })
    const sent = await paperOf('estimates', id)
    expect(sent).toMatchObject({ is_fixed: true, is_changed: false })
    await change('estimates', id, { notes: 'Only for us.' })
    expect(await paperOf('estimates', id)).toEqual(sent)
    await change('estimates', id, { title: 'Chimney and roof' })
    expect(await paperOf('estimates', id)).toEqual({ ...sent, is_changed: true })
    await change('estimates', id, { title: 'Chimney' })
    expect(await paperOf('estimates', id)).toEqual(sent)
  })

  test('is made anew where a record is issued again', async () => {
    const id = await estimate(await client(), { status: 'SENT' })
    for (const body of [{ status: 'REJECTED' }, { status: 'DRAFT', title: 'Cheaper' }, { status: 'SENT' }])
      await change('estimates', id, body)
    expect((await rows('estimates', id)).map(({ version }) => version)).toEqual([1, 4])
    expect((await paperOf('estimates', id)).content.record.title).toBe('Cheaper')
  })

  test('belongs to one company', async () => {
    const id = await invoice(await client(), { status: 'ISSUED' })
    const other = await stage.admin()
    expect((await other.get(`${at('invoices', id)}/paper`)).status).toBe(404)
    expect((await send('invoices', id, {}, other)).status).toBe(404)
    expect((await admin.get(`${at('invoices', id)}/paper?at=now`)).status).toBe(400)
  })

  test.each(['clients', 'projects', 'contracts'])('is not there for %s', async (records) => {
    expect((await admin.get(`${at(records, 1)}/paper`)).body.code).toBe('not_found')
    expect((await send(records, 1)).body.code).toBe('not_found')
  })

  test('is gone with its record, and back with it', async () => {
    const id = await estimate(await client(), { status: 'SENT' })
    const before = await paperOf('estimates', id)
    await admin.ask('DELETE', at('estimates', id))
    expect((await admin.get(`${at('estimates', id)}/paper`)).status).toBe(404)
    const [{ id: removal }] = await admin.data('/console/removals')
    expect((await admin.ask('POST', `/console/removals/${removal}/restore`)).status).toBe(200)
    expect(await paperOf('estimates', id)).toEqual(before)
    expect(await rows('estimates', id)).toHaveLength(1)
  })
})

describe('Every road that issues fixes a paper', () => {
  const v1 = (method: string, path: string, body: object) => admin.company.call(method, `/v1${path}`, { body })
  const issues: { road: string; issue: (client_id: number) => Promise<number[]> }[] = [
    { road: 'a create of /v1', issue: async (client_id) => [await estimate(client_id, { status: 'SENT' })] },
    {
      road: 'an update of /v1',
      async issue(client_id) {
        const id = await estimate(client_id)
        await v1('PATCH', `/estimates/${id}`, { status: 'SENT' })
        return [id]
      },
    },
    {
      road: 'an upsert',
      async issue(client_id) {
        const body = { title: 'Chimney', client_id, lines, status: 'SENT' }
        const answer = await v1('PUT', `/estimates/by/external_ref/${crypto.randomUUID()}`, body)
        return [answer.body.data.id]
      },
    },
    {
      road: 'a batch',
      async issue(client_id) {
        const body = { title: 'Chimney', client_id, lines }
        const id = await estimate(client_id)
        const operations = [
          { op: 'create', records: 'estimates', body: { ...body, status: 'SENT' } },
          { op: 'create', records: 'estimates', body },
          { op: 'create', records: 'estimates', body: { ...body, status: 'ACCEPTED' } },
          { op: 'update', records: 'estimates', id, body: { status: 'SENT' } },
        ]
        const answer = await v1('POST', '/batch', { mode: 'all', operations })
        const ids = answer.body.data.operations.map(({ data }: { data: { id: number } }) => data.id)
        expect(await rows('estimates', ids[1])).toEqual([])
        return [ids[0], ids[2], id]
      },
    },
    {
      road: 'an import',
      async issue(client_id) {
        const id = await estimate(client_id)
        const begun = { file_name: 'a.csv', fingerprint: crypto.randomUUID(), settings: { match: null }, rows: 1 }
        const { write_id } = (await admin.ask('POST', '/console/imports/estimates', begun)).body.data
        const operations = [{ op: 'update', id, body: { status: 'SENT' } }]
        const tried = await admin.ask('POST', '/console/records/estimates/batch?dry_run=1', { operations })
        const batch = { from: 0, to: 1, operations }
        const answer = await admin.ask('POST', `/console/imports/estimates/${write_id}/batches`, batch, {
          ...{ 'If-Plan': `"${tried.body.plan.hash}"`, 'Idempotency-Key': crypto.randomUUID() },
        })
        expect(answer.status, answer.text).toBe(200)
        expect(await rows('estimates', id)).toMatchObject([{ write_id }])
        return [id]
      },
    },
  ]
  test.each(issues)('$road', async ({ issue }) => {
    for (const id of await issue(await client())) {
      expect(await rows('estimates', id)).toHaveLength(1)
      expect(await paperOf('estimates', id)).toMatchObject({ is_fixed: true, content: { record: { id } } })
    }
  })

  test('and a dry-run none', async () => {
    const client_id = await client()
    const body = { title: 'Chimney', client_id, lines, status: 'SENT' }
    const before = await stage.sql('select id from papers where company_id = $1', admin.company.id)
    await admin.company.call('POST', '/v1/estimates', { body, headers: { 'X-Dry-Run': '1' } })
    expect(await stage.sql('select id from papers where company_id = $1', admin.company.id)).toEqual(before)
  })
})

describe('A paper is whole or refused', () => {
  const without = (...rights: string[]) => permissions.filter((one) => !rights.includes(one))
  const lacks: { right: string; tax_id: string | null; status: number }[] = [
    { right: 'INVOICES_VIEW', tax_id: null, status: 403 },
    { right: 'CLIENTS_VIEW', tax_id: null, status: 403 },
    { right: 'TAX_VIEW', tax_id: 'GB-7', status: 403 },
    { right: 'TAX_VIEW', tax_id: null, status: 200 },
    { right: 'MONEY_VIEW', tax_id: 'GB-8', status: 200 },
  ]
  test.each(lacks)('without $right, the tax number being $tax_id: $status', async ({ right, tax_id, status }) => {
    const id = await invoice(await client({ tax_id }), { status: 'ISSUED' })
    const somebody = await stage.person(admin.company, without(right))
    const answer = await somebody.get(`${at('invoices', id)}/paper`)
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.body).toMatchObject({ code: 'insufficient_scope', required_scope: right })
  })

  test('and nobody notes how it was sent who may not see it', async () => {
    const id = await invoice(await client({ tax_id: 'GB-9' }), { status: 'ISSUED' })
    for (const right of ['INVOICES_EDIT', 'INVOICES_VIEW', 'CLIENTS_VIEW', 'TAX_VIEW']) {
      const answer = await send('invoices', id, {}, await stage.person(admin.company, without(right)))
      expect(answer.body).toMatchObject({ status: 403, required_scope: right })
    }
  })
})

describe('That it was sent', () => {
  test('is noted on the newest paper, with the way and the day, and may be noted again', async () => {
    const id = await invoice(await client(), { status: 'ISSUED' })
    const answer = await send('invoices', id)
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { version: 1, sent_by: 'EMAIL', sent_on: '2026-03-02' } },
    })
    expect(await paperOf('invoices', id)).toMatchObject({ sent_by: 'EMAIL', sent_on: '2026-03-02' })
    await send('invoices', id, { by: 'POST', on: '2026-03-04' })
    expect(await paperOf('invoices', id)).toMatchObject({ sent_by: 'POST', sent_on: '2026-03-04' })
    expect(await rows('invoices', id)).toHaveLength(1)
  })

  test('makes a draft estimate a sent one, in one write', async () => {
    const id = await estimate(await client())
    expect(await send('estimates', id, { by: 'IN_PERSON' })).toMatchObject({
      status: 200,
      body: { data: { version: 2 } },
    })
    expect(await admin.data(at('estimates', id))).toMatchObject({ status: 'SENT' })
    expect(await paperOf('estimates', id)).toMatchObject({ is_fixed: true, version: 2, sent_by: 'IN_PERSON' })
    const [{ write_id }] = await admin.data(`${at('estimates', id)}/history`)
    expect((await rows('estimates', id)).map((row) => row.write_id)).toEqual([write_id])
  })

  test('adds a paper where the estimate was changed since, and none where it was not', async () => {
    const client_id = await client()
    const id = await estimate(client_id, { status: 'SENT' })
    await send('estimates', id)
    await change('clients', client_id, { name: 'Mole' })
    expect(await paperOf('estimates', id)).toMatchObject({ is_changed: true, sent_by: 'EMAIL' })
    await send('estimates', id, { by: 'OTHER' })
    expect((await rows('estimates', id)).map(({ sent_by }) => sent_by)).toEqual(['EMAIL', 'OTHER'])
    expect(await paperOf('estimates', id)).toMatchObject({
      is_changed: false,
      content: { addressee: { name: 'Mole' } },
    })
    await change('estimates', id, { status: 'ACCEPTED' })
    await change('clients', client_id, { name: 'Pier' })
    expect(await paperOf('estimates', id)).toMatchObject({
      is_changed: false,
      content: { addressee: { name: 'Mole' } },
    })
    await send('estimates', id)
    expect(await rows('estimates', id)).toHaveLength(2)
  })

  const refusals: { why: string; body: JsonObject; errors: string }[] = [
    { why: 'another way', body: { by: 'PIGEON' }, errors: '422 by not_allowed' },
    { why: 'a day after today', body: { on: '2999-01-01' }, errors: '422 on in_future' },
    { why: 'no day', body: { on: '2026-02-30' }, errors: '422 on wrong_format' },
    { why: 'no ETag', body: { if_match: 'x' }, errors: '422 if_match wrong_format' },
    { why: 'two mistakes', body: { by: '', on: 'today' }, errors: '422 by not_allowed on wrong_format' },
    { why: 'another version', body: { if_match: `"7-${'a'.repeat(22)}"` }, errors: '412' },
  ]
  test.each(refusals)('is refused for $why', async ({ body, errors }) => {
    const id = await invoice(await client(), { status: 'ISSUED' })
    expect(errorsOf(await send('invoices', id, body))).toBe(errors)
    expect(await paperOf('invoices', id)).toMatchObject({ sent_by: null, sent_on: null })
  })

  test('is refused for a draft of which nothing is sent, and for one that lacks what it needs', async () => {
    expect(errorsOf(await send('invoices', await invoice(await client())))).toBe('422 status not_issued')
    const bare = await admin.company.record('estimates', { title: 'Open' })
    expect(errorsOf(await send('estimates', bare))).toBe('422 client_id needed_by_status lines needed_by_status')
    expect(await rows('estimates', bare)).toEqual([])
  })

  test('is noted for the version that the page has', async () => {
    const id = await invoice(await client(), { status: 'ISSUED' })
    const { headers } = await admin.get(at('invoices', id))
    expect((await send('invoices', id, { if_match: headers.etag as string })).status).toBe(200)
  })
})

test('An issue and a rename at once leave a paper with one of the two names, whole', async () => {
  const client_id = await client({ name: 'Name 0' })
  for (let round = 0; round < 20; round++) {
    const ids = await Promise.all(Array.from({ length: 10 }, () => invoice(client_id)))
    const name = `Name ${round + 1}`
    const renamed = { name, contact_name: name }
    await Promise.all([
      change('clients', client_id, renamed),
      ...ids.map((id) => change('invoices', id, { status: 'ISSUED' })),
    ])
    for (const id of ids) {
      const { addressee } = (await paperOf('invoices', id)).content
      expect([`Name ${round}`, name]).toContain(addressee.name)
      if (round > 0) expect(addressee.contact_name).toBe(addressee.name)
    }
  }
})

test('Records of the books that an earlier version issued get a paper of now, and others none', async () => {
  const client_id = await client()
  const issued = await invoice(client_id, { status: 'VOID' })
  const [draft, fixed] = [await invoice(client_id), await invoice(client_id, { status: 'ISSUED' })]
  const [sent, accepted] = [
    await estimate(client_id, { status: 'SENT' }),
    await estimate(client_id, { status: 'ACCEPTED' }),
  ]
  const before = await paperOf('invoices', fixed)
  const forgotten = [
    ['invoices', issued],
    ['estimates', sent],
    ['estimates', accepted],
  ] as const
  for (const [records, id] of forgotten)
    await stage.sql(
      'delete from papers where company_id = $1 and records = $2 and record_id = $3',
      admin.company.id,
      records,
      id,
    )
  await change('clients', client_id, { name: 'Mole' })
  for (const _ of ['first start', 'next start']) {
    await fillAll(stage.app.database)
    expect(await rows('invoices', issued)).toHaveLength(1)
    expect(await rows('estimates', accepted)).toHaveLength(1)
  }
  for (const [records, id] of [forgotten[0], forgotten[2]])
    expect(await paperOf(records, id)).toMatchObject({ is_fixed: true, content: { addressee: { name: 'Mole' } } })
  expect(await paperOf('estimates', sent)).toMatchObject({ is_fixed: false })
  expect(await paperOf('invoices', draft)).toMatchObject({ is_fixed: false })
  expect(await paperOf('invoices', fixed)).toEqual(before)
})

describe('An erasure of a client who is a person', () => {
  const erase = (id: number, more: { withBooks?: boolean } = {}) =>
    stage.inTransaction((transaction) =>
      erasePerson(transaction, operator(admin.company.id), {
        ...{ companyId: admin.company.id, kind: clients, id, reason: 'asked by letter' },
        ...more,
      }),
    )

  test('empties papers of estimates that were not accepted, and lists those of the books', async () => {
    const client_id = await client({ kind: 'INDIVIDUAL', tax_id: 'GB-55' })
    const [sent, expired, accepted] = [
      await estimate(client_id, { status: 'SENT' }),
      await estimate(client_id, { status: 'SENT' }),
      await estimate(client_id, { status: 'SENT' }),
    ] as [number, number, number]
    await change('estimates', expired, { status: 'EXPIRED' })
    await change('estimates', accepted, { status: 'ACCEPTED' })
    const issued = await invoice(client_id, { status: 'ISSUED' })
    const name = `Erased client ${client_id}`
    const erased = { id: client_id, name, contact_name: null, tax_id: null, billing_address: null }
    const whole = { id: client_id, ...person, tax_id: 'GB-55' }
    const shown = async () =>
      Promise.all(
        [
          paperOf('estimates', sent),
          paperOf('estimates', expired),
          paperOf('estimates', accepted),
          paperOf('invoices', issued),
        ].map(async (paper) => (await paper).content.addressee),
      )

    const keptPapers = [
      { records: 'estimates', ids: [accepted] },
      { records: 'invoices', ids: [issued] },
    ]
    expect(await erase(client_id)).toMatchObject({ isDone: true, keptPapers })
    expect(await shown()).toEqual([erased, erased, whole, whole])
    expect((await paperOf('estimates', sent)).content.record).toMatchObject({ id: sent, title: 'Chimney' })
    expect(await erase(client_id)).toMatchObject({ isDone: false, keptPapers })

    expect(await erase(client_id, { withBooks: true })).toMatchObject({ isDone: true, keptPapers: [] })
    expect(await shown()).toEqual([erased, erased, erased, erased])
    expect(await erase(client_id, { withBooks: true })).toMatchObject({ isDone: false, keptPapers: [] })
  })

  test('empties no paper of another client', async () => {
    const [one, other] = [await client({ kind: 'INDIVIDUAL' }), await client({ kind: 'INDIVIDUAL' })] as [
      number,
      number,
    ]
    const [mine, theirs] = [await estimate(one, { status: 'SENT' }), await estimate(other, { status: 'SENT' })]
    await erase(one)
    expect((await paperOf('estimates', mine)).content.addressee.name).toBe(`Erased client ${one}`)
    expect((await paperOf('estimates', theirs)).content.addressee).toEqual({ id: other, ...person })
  })
})

test('An order number finds its invoice', async () => {
  const id = await invoice(await client(), { po_number: 'PO-Kormoran-9' })
  expect((await admin.data('/console/records/invoices?q=kormoran')).map((one: { id: number }) => one.id)).toEqual([id])
})
