import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const begin = async (person: Person, rows: number, records = 'clients'): Promise<string> => {
  const body = { file_name: 'clients.csv', fingerprint: crypto.randomUUID(), settings: { match: null }, rows }
  const answer = await person.ask('POST', `/console/imports/${records}`, body)
  expect(answer.status).toBe(201)
  return answer.body.data.write_id
}
const attempt = (person: Person, operations: JsonObject[], records = 'clients') =>
  person.ask('POST', `/console/records/${records}/batch?dry_run=1`, { operations })

type Part = { from: number; to: number; operations: JsonObject[]; plan: string | null; key?: string }
const apply = (person: Person, id: string, { plan, key, ...body }: Part, records = 'clients') =>
  person.ask('POST', `/console/imports/${records}/${id}/batches`, body, {
    ...(plan === null ? {} : { 'If-Plan': `"${plan}"` }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  })
const creates = (names: string[]): JsonObject[] => names.map((name) => ({ op: 'create', body: { name } }))
const named = async (q: string): Promise<number> => (await admin.get(`/console/records/clients?q=${q}`)).body.meta.total

/** Tries and does a part. */
async function write(id: string, from: number, operations: JsonObject[]) {
  const { body } = await attempt(admin, operations)
  return apply(admin, id, { from, to: from + operations.length, operations, plan: body.plan.hash })
}

describe('An import is one write in many batches', () => {
  test('one thousand rows, and one undo takes back the whole', async () => {
    const before = await admin.data('/console/records/clients?limit=100')
    const id = await begin(admin, 1000)
    for (const from of [0, 500]) {
      const names = Array.from({ length: 500 }, (_, n) => `Thousandth ${from + n}`)
      const answer = await write(id, from, creates(names))
      expect(answer.status, answer.text).toBe(200)
      expect(answer.headers['x-write-id']).toBe(id)
    }
    expect(await named('Thousandth')).toBe(1000)
    const [told] = await admin.data('/console/imports/clients')
    expect(told).toMatchObject({ write_id: id, own: true, rows: 1000, done: 1000, created: 1000, undone: 'nothing' })

    let undos = 0
    for (let remaining = 1; remaining > 0; undos++) {
      const answer = await admin.ask('POST', `/console/writes/${id}/undo`)
      expect(answer.status, answer.text).toBe(200)
      remaining = answer.body.data.remaining
    }
    expect(undos).toBe(1)
    expect(await admin.data('/console/records/clients?limit=100')).toEqual(before)
    expect((await admin.data('/console/imports/clients'))[0].undone).toBe('all')
  })

  test('the plan of a later batch is its own, as it was tried before the import began', async () => {
    const [one, two] = await Promise.all([creates(['First']), creates(['Second'])].map((part) => attempt(admin, part)))
    const id = await begin(admin, 2)
    const first = await apply(admin, id, { from: 0, to: 1, operations: creates(['First']), plan: one?.body.plan.hash })
    expect(first.status, first.text).toBe(200)
    const second = await apply(admin, id, {
      from: 1,
      to: 2,
      operations: creates(['Second']),
      plan: two?.body.plan.hash,
    })
    expect(second.status, second.text).toBe(200)
    expect(await stage.sql('select count(*)::int as count from history where write_id = $1', id)).toEqual([
      { count: 2 },
    ])
  })

  test('a batch is done once, whatever its key is and however often it is sent', async () => {
    const id = await begin(admin, 2)
    const operations = creates(['Only once'])
    const plan = (await attempt(admin, operations)).body.plan.hash
    const part = { from: 0, to: 1, operations, plan, key: 'part-0' }
    const answers = await Promise.all([apply(admin, id, part), apply(admin, id, { ...part, key: 'other' })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
    const key = answers[0]?.status === 200 ? 'part-0' : 'other'
    const again = await apply(admin, id, { ...part, key })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(await named('once')).toBe(1)
  })

  test('rows that need nothing are settled with no operations', async () => {
    const id = await begin(admin, 3)
    expect((await apply(admin, id, { from: 0, to: 3, operations: [], plan: null })).status).toBe(200)
    expect((await admin.data('/console/imports/clients'))[0]).toMatchObject({ write_id: id, done: 3, created: 0 })
  })

  test('where a record has changed since, nothing of the batch is done', async () => {
    const client = await admin.company.record('clients', { name: 'Moved' })
    const operations = [{ op: 'update', id: client, body: { notes: 'imported' } }, ...creates(['Beside'])]
    const plan = (await attempt(admin, operations)).body.plan.hash
    await admin.ask('PATCH', `/console/records/clients/${client}`, { notes: 'by hand' })
    const id = await begin(admin, 2)
    const answer = await apply(admin, id, { from: 0, to: 2, operations, plan })
    expect(answer).toMatchObject({ status: 412, body: { code: 'plan_changed' } })
    expect(answer.body.plan.changes[0].fields).toEqual({ notes: ['by hand', 'imported'] })
    expect(await named('Beside')).toBe(0)
    expect((await admin.data('/console/imports/clients'))[0].done).toBe(0)
  })
})

describe('What an import cannot do', () => {
  const refusals: [title: string, part: Partial<Part>, status: number, code: string][] = [
    ['write what no try has shown', { plan: null }, 400, 'invalid_header'],
    ['settle rows behind its end', { to: 9 }, 412, 'precondition_failed'],
    ['settle no rows', { to: 0 }, 412, 'precondition_failed'],
    ['delete', { operations: [{ op: 'delete', id: 1 }] }, 422, 'validation_failed'],
    ['write other records', { operations: [{ op: 'create', records: 'accounts', body: {} }] }, 422, 'batch_refused'],
  ]
  test.each(refusals)('%s', async (_, given, status, code) => {
    const id = await begin(admin, 1)
    const part = { from: 0, to: 1, operations: creates(['Nobody']), plan: `sha256-${'x'.repeat(43)}`, ...given }
    expect(await apply(admin, id, part)).toMatchObject({ status, body: { code } })
  })

  test('be gone on with by somebody else, in another company, on other records, or when it was taken back', async () => {
    const id = await begin(admin, 3)
    expect((await write(id, 0, creates(['Mine']))).status).toBe(200)
    const colleague = await stage.person(admin.company)
    const stranger = await stage.admin()
    const part = { from: 1, to: 2, operations: [], plan: null }
    for (const person of [colleague, stranger]) expect((await apply(person, id, part)).status).toBe(404)
    expect((await apply(admin, id, part, 'projects')).status).toBe(404)
    await admin.ask('POST', `/console/writes/${id}/undo`)
    expect(await apply(admin, id, part)).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect((await stranger.data('/console/imports/clients')).length).toBe(0)
  })

  test.each([0, -1, 50_001, 2 ** 40])('have %s rows', async (rows) => {
    const body = { file_name: 'a.csv', fingerprint: 'f', settings: {}, rows }
    expect((await admin.ask('POST', '/console/imports/clients', body)).status).toBe(422)
  })
})

describe('Values are looked up', () => {
  const lookUp = (person: Person, records: string, field: string, values: unknown) =>
    person.ask('POST', `/console/imports/${records}/look-up`, { field, values })

  test('names of records that a field may refer to, by title and by unique fields, capitals apart', async () => {
    const company = await stage.admin()
    const quay = await company.company.record('clients', { name: 'Quay Trust', external_ref: 'C-1' })
    const twins = [
      await company.company.record('clients', { name: 'Twins', external_ref: 'C-2' }),
      await company.company.record('clients', { name: 'twins' }),
    ]
    const { body } = await lookUp(company, 'projects', 'client_id', ['QUAY trust', 'c-1', 'Twins', 'Nobody'])
    expect(body.data).toEqual([
      { place: 0, id: quay, title: 'Quay Trust', also: 'C-1' },
      { place: 1, id: quay, title: 'Quay Trust', also: 'C-1' },
      { place: 2, id: twins[0], title: 'Twins', also: 'C-2' },
      { place: 2, id: twins[1], title: 'twins', also: null },
    ])
    await company.ask('DELETE', `/console/records/clients/${quay}`)
    expect((await lookUp(company, 'projects', 'client_id', ['Quay Trust'])).body.data).toEqual([])
    const category = await company.company.record('categories', { name: 'Walls', kind: 'project' })
    await company.company.record('categories', { name: 'Walls', kind: 'client' })
    const found = await lookUp(company, 'projects', 'category_id', ['Walls'])
    expect(found.body.data.map(({ id }: { id: number }) => id)).toEqual([category])
    expect((await lookUp(company, 'clients', 'external_ref', ['C-2', 'c-1'])).body.data).toMatchObject([
      { place: 0, id: twins[0] },
    ])
  })

  describe('A name finds the records whose name is equal, or else those that a search finds by it', () => {
    const names = ['Groß & Söhne', 'O’Brien', 'Two  Rivers', 'ΟΔΟΣ', 'Mül\u00adler', 'Muller', 'Nord\u00a0Bau']
    const rows: [text: string, found: string[]][] = [
      ['Gross & sohne', ['Groß & Söhne']],
      ["o'brien", ['O’Brien']],
      ['Two Rivers', ['Two  Rivers']],
      ['οδος', ['ΟΔΟΣ']],
      ['Muller', ['Muller']],
      ['Müller', ['Mül\u00adler', 'Muller']],
      ['Nord Bau', ['Nord\u00a0Bau']],
      ['Two', []],
    ]
    let company: Awaited<ReturnType<typeof stage.admin>>
    beforeAll(async () => {
      company = await stage.admin()
      for (const name of names) await company.company.record('clients', { name })
    })
    test.each(rows)('%s', async (text, found) => {
      const { body } = await lookUp(company, 'projects', 'client_id', [text])
      expect(body.data.map(({ title }: { title: string }) => title)).toEqual(found)
    })
  })

  describe('A record is found by its name, e-mail address or telephone number', () => {
    const stored = [
      { name: 'Müller GmbH', email: 'Info@Mueller.example', phone: '+49 221 555010' },
      { name: 'Twin', email: 'one@twin.example', phone: '(603) 555-0142' },
      { name: 'twin', email: 'ONE@twin.example', phone: '603 555 0142' },
      { name: 'Short', phone: '11 22 33' },
    ]
    const rows: [field: string, text: string, found: string[]][] = [
      ['name', 'MÜLLER GMBH', ['Müller GmbH']],
      ['name', 'Muller  gmbh', ['Müller GmbH']],
      ['name', 'Müller', []],
      ['name', 'Twin', ['Twin', 'twin']],
      ['email', 'info@mueller.EXAMPLE', ['Müller GmbH']],
      ['email', 'info@mueller.example.org', []],
      ['email', 'one@Twin.example', ['Twin', 'twin']],
      ['phone', '0221/555010', ['Müller GmbH']],
      ['phone', '0049 (0) 221 55 50 10', ['Müller GmbH']],
      ['phone', '555010', []],
      ['phone', '+49 221 555011', []],
      ['phone', '+1 603 555 0142', ['Twin', 'twin']],
      ['phone', '112233', ['Short']],
      ['phone', '2233', []],
    ]
    let company: Awaited<ReturnType<typeof stage.admin>>
    beforeAll(async () => {
      company = await stage.admin()
      for (const body of stored) await company.company.record('clients', body)
      const stranger = await stage.admin()
      for (const body of stored) await stranger.company.record('clients', body)
    })
    test.each(rows)('%s %s', async (field, text, titles) => {
      const { body } = await lookUp(company, 'clients', field, ['Nobody at all', text])
      expect(body.data.map(({ place, title }: { place: number; title: string }) => [place, title])).toEqual(
        titles.map((title) => [1, title]),
      )
    })
  })

  test('by nobody who may not see them', async () => {
    const clerk = await stage.person(
      admin.company,
      permissions.filter((code) => code !== 'CLIENTS_VIEW'),
    )
    expect(await lookUp(clerk, 'projects', 'client_id', ['X'])).toMatchObject({
      status: 403,
      body: { required_scope: 'CLIENTS_VIEW' },
    })
    expect(await lookUp(clerk, 'clients', 'external_ref', ['X'])).toMatchObject({ status: 403 })
  })

  test.each([
    ['status', ['X']],
    ['constructor', ['X']],
    ['external_ref', Array.from({ length: 501 }, String)],
    ['external_ref', [1]],
  ])('of %s alone if records are found by it, and not too many: %#', async (field, values) => {
    expect((await lookUp(admin, 'clients', field as string, values)).status).toBe(422)
  })
})

test('every resource of the interface can be imported, those that /v1 does not serve too', async () => {
  const { body } = await attempt(admin, [{ op: 'create', body: { name: 'Mason' } }], 'trades')
  const id = await begin(admin, 1, 'trades')
  const part = { from: 0, to: 1, operations: [{ op: 'create', body: { name: 'Mason' } }], plan: body.plan.hash }
  expect((await apply(admin, id, part, 'trades')).status).toBe(200)
})

describe('Cells that are mended and words that are decided', () => {
  const mended = { mended: { 0: { Name: 'Keel' } }, words: { Status: { ruht: 'INACTIVE' } } }
  const extend = (person: Person, id: string, rows: number, settings: JsonObject = { match: null, ...mended }) =>
    person.ask('PUT', `/console/imports/clients/${id}`, { settings, rows })
  const settingsOf = async (person: Person) => (await person.data('/console/imports/clients'))[0].settings

  test('are shown to the author of the import alone, and are gone when the last row is settled', async () => {
    const id = await begin(admin, 1)
    expect((await extend(admin, id, 1)).status).toBe(200)
    expect(await settingsOf(admin)).toEqual({ match: null, ...mended })
    const other = await stage.person(admin.company, permissions)
    expect(await settingsOf(other)).toEqual({ match: null })
    expect((await extend(other, id, 2)).status).toBe(404)
    await write(id, 0, creates(['Settled']))
    expect(await settingsOf(admin)).toEqual({ match: null })
  })

  test('extend the same import behind its last row, until it is taken back, and never shorten it', async () => {
    const id = await begin(admin, 1)
    await write(id, 0, creates(['Before']))
    expect((await extend(admin, id, 0)).status).toBe(422)
    expect((await extend(admin, id, 2)).status).toBe(200)
    const answer = await write(id, 1, creates(['Mended']))
    expect([answer.status, answer.headers['x-write-id']]).toEqual([200, id])
    expect((await admin.data('/console/imports/clients'))[0]).toMatchObject({ rows: 2, done: 2, created: 2 })
    await admin.ask('POST', `/console/writes/${id}/undo`)
    expect([await named('Before'), await named('Mended')]).toEqual([0, 0])
    expect((await extend(admin, id, 3)).status).toBe(412)
  })

  test('create a word with the row that needs it, for somebody who may, and nothing but a word of a list', async () => {
    const word = { op: 'create', as: 'word1', records: 'categories', body: { name: 'Harbours', kind: 'client' } }
    const row = { op: 'create', body: { name: 'Pier', category_id: { $ref: 'word1' } } }
    const clerk = await stage.person(admin.company, ['CLIENTS_VIEW', 'CLIENTS_EDIT', 'CATEGORIES_VIEW'])
    expect(await attempt(clerk, [word, row])).toMatchObject({
      ...{ status: 403, body: { code: 'insufficient_scope', required_scope: 'CATEGORIES_EDIT' } },
    })
    for (const strange of [
      { ...word, op: 'update', id: 1 },
      { ...word, records: 'projects' },
    ])
      expect((await attempt(admin, [strange])).status).toBe(422)
    const { body } = await attempt(admin, [word, row])
    const id = await begin(admin, 1)
    const part = { from: 0, to: 1, operations: [word, row], plan: body.plan.hash }
    expect((await apply(admin, id, part)).status).toBe(200)
    expect((await admin.data('/console/imports/clients'))[0]).toMatchObject({ created: 1, done: 1 })
    const [pier] = await admin.data('/console/records/clients?q=Pier')
    const [category] = await admin.data('/console/records/categories?q=Harbours')
    expect(pier.category_id).toBe(category.id)
    await admin.ask('POST', `/console/writes/${id}/undo`)
    expect(await admin.data('/console/records/categories?q=Harbours')).toEqual([])
  })
})
