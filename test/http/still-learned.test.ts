import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import type { CallOptions, Company } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'

/** Every line of "What a caller can still learn" in docs/security/threats.md: that much can be learned, and no more. */

let stage: ConsoleStage
/** May write and delete, and sees nothing. */
let blind: Company
/** Has somebody, `person`, who may do everything but see pay. */
let reader: Company
let person: Person
beforeAll(async () => {
  stage = await openConsole()
  const records = ['CLIENTS', 'PROJECTS', 'WORKERS', 'EQUIPMENT', 'ESTIMATES']
  blind = await stage.company({ scopes: records.flatMap((one) => [`${one}_EDIT`, `${one}_DELETE`]) })
  reader = await stage.company()
  person = await stage.person(
    reader,
    permissions.filter((one) => one !== 'PAY_VIEW'),
  )
})
afterAll(() => stage.close())

const dry = { 'X-Dry-Run': '1' }
const patch = (company: Company, path: string, body: object, headers: CallOptions['headers'] = {}) =>
  company.call('PATCH', `/v1/${path}`, { body, headers })
const problems = ({ body }: { body: { errors?: JsonObject[] } }) =>
  (body.errors ?? []).map(({ field, code }) => `${field} ${code}`)

/** What the log of calls shows of the last call to who does not see pay. */
async function loggedCall() {
  await reader.calls()
  const [row] = await person.data('/console/calls?limit=1')
  return (await person.data(`/console/calls/${row.id}`)).details
}

const learned: { [line: string]: () => Promise<void> } = {
  async 'some live record has a unique value'() {
    const holder = await blind.create('clients', { name: 'A', external_ref: 'S-1' })
    const other = await blind.create('clients', { name: 'B' })
    const [no, yes] = [{ external_ref: 'S-1' }, { external_ref: 'S-2' }]
    const refused = await patch(blind, `clients/${other}`, no, dry)
    expect(problems(refused)).toEqual(['external_ref not_unique'])
    expect(JSON.stringify(refused.body.errors)).not.toMatch(/\d/)
    expect((await patch(blind, `clients/${other}`, yes, dry)).status).toBe(200)
    expect((await patch(blind, `clients/${holder}`, no, dry)).status).toBe(200)
  },

  async 'whether a record or an external reference exists'() {
    const client = await blind.create('clients', { name: 'A', external_ref: 'E-1' })
    const project = await blind.create('projects', { name: 'P' })
    expect((await patch(blind, `projects/${project}`, { client_id: client }, dry)).status).toBe(200)
    expect(problems(await patch(blind, `projects/${project}`, { client_id: 999_999 }, dry))).toEqual([
      'client_id not_found',
    ])
    expect((await patch(blind, 'clients/999999', { name: 'A' }, dry)).status).toBe(404)
    const upsert = async (reference: string) =>
      (await blind.call('PUT', `/v1/clients/by/external_ref/${reference}`, { body: { name: 'A' }, headers: dry })).body
        .data.id
    expect([await upsert('E-1'), await upsert('E-2')]).toEqual([client, null])
  },

  async 'what a rule compares with'() {
    const project = await blind.create('projects', { name: 'P', start_date: '2027-03-01', contract_minor: 987_654_321 })
    const late = await patch(blind, `projects/${project}`, { end_date: '2027-01-01' }, dry)
    expect(late.text).toContain('2027-03-01')
    const crane = await blind.create('equipment', {
      name: 'Crane',
      meter_hours: 812,
      purchase_price_minor: 987_654_321,
    })
    const back = await patch(blind, `equipment/${crane}`, { meter_hours: 1 }, dry)
    expect(back.text).toContain('812')
    for (const { text } of [late, back]) expect(text).not.toContain('987654321')
  },

  async 'where a tree would close a circle'() {
    const above = await blind.create('workers', { name: 'A' })
    const below = await blind.create('workers', { name: 'B', supervisor_id: above })
    const other = await blind.create('workers', { name: 'C' })
    const under = (id: number) => patch(blind, `workers/${above}`, { supervisor_id: id }, dry)
    expect(problems(await under(below))).toEqual(['supervisor_id cycle'])
    expect((await under(other)).status).toBe(200)
  },

  async 'which version a record has'() {
    const id = await blind.create('clients', { name: 'A' })
    const { headers } = await patch(blind, `clients/${id}`, { name: 'B' })
    expect(headers.etag).toMatch(/^"2-/)
    const expecting = async (version: number) =>
      (await patch(blind, `clients/${id}`, { name: 'B' }, { ...dry, 'If-Match': `"${version}-${'A'.repeat(22)}"` }))
        .status
    expect([await expecting(1), await expecting(2), await expecting(3)]).toEqual([412, 200, 412])
  },

  async 'which records refer to one that it deletes'() {
    const client = await blind.create('clients', { name: 'A', credit_limit_minor: 987_654_321 })
    const project = await blind.create('projects', { name: 'Hidden name', client_id: client })
    const { status, text, body } = await blind.call('DELETE', `/v1/clients/${client}`, { headers: dry })
    expect(status === 200 ? body.data.would_keep : body.blocked_by).toMatchObject([
      { records: 'projects', ids: [project] },
    ])
    expect(text).not.toMatch(/Hidden name|987654321/)
  },

  async 'that something behind a preview has changed'() {
    const id = await blind.create('clients', { name: 'A', notes: 'Hidden' })
    const preview = async (body: object) => (await patch(blind, `clients/${id}`, body, dry)).body.plan.hash
    const hash = await preview({ notes: 'Hidden' })
    expect(await preview({ notes: 'Hidden' })).toBe(hash)
    expect(await preview({ notes: 'Other' })).not.toBe(hash)
    await patch(blind, `clients/${id}`, { name: 'B' })
    expect(await preview({ notes: 'Hidden' })).not.toBe(hash)
  },

  async 'that a withheld field was written'() {
    const id = await reader.create('workers', { name: 'A', hourly_cost_minor: 987_654_321 })
    await patch(reader, `workers/${id}`, { hourly_cost_minor: 123_456_789 })
    const logged = await loggedCall()
    expect(JSON.parse(logged.request_body)).toEqual({ hourly_cost_minor: '[masked]' })
    expect(JSON.parse(logged.answer_body).data.changed).toEqual(['hourly_cost_minor'])
    await untilTold(stage)
    const [entry] = await person.data(`/console/records/workers/${id}/history`)
    expect(entry).toMatchObject({ action: 'changed', changes: {} })
    expect(JSON.stringify([logged, entry])).not.toMatch(/987654321|123456789/)
  },

  async 'that two answers were the same'() {
    const id = await reader.create('workers', { name: 'A', hourly_cost_minor: 987_654_321 })
    const tag = async (): Promise<string> => {
      await reader.get(`/v1/workers/${id}?fields=hourly_cost_minor`)
      return (await loggedCall()).answer_headers.etag
    }
    const first = await tag()
    expect(await tag()).toBe(first)
    // A text that comes back in a later version has another tag.
    for (const cost of [123_456_789, 987_654_321]) await patch(reader, `workers/${id}`, { hourly_cost_minor: cost })
    const [, hashed] = (await tag()).split(/-(.*)/)
    expect(hashed).not.toBe(first.split(/-(.*)/)[1])
  },

  async 'the length of a masked body, to 64 bytes'() {
    const id = await reader.create('workers', { name: 'A' })
    const lengthOf = async (notes: string) => {
      await patch(reader, `workers/${id}`, { notes, hourly_cost_minor: 123_456_789 })
      return (await loggedCall()).request_bytes
    }
    expect([await lengthOf('x'), await lengthOf('x'.repeat(64))]).toEqual([64, 128])
  },
}

const page = readFileSync(join(import.meta.dirname, '../../docs/security/threats.md'), 'utf8')
const lines = [...(page.split('### What a caller can still learn')[1] ?? '').matchAll(/^- [^*]*\*\*(.+?)\*\*/gm)]

test('The page and this file have the same lines.', () => {
  expect(lines.map(([, line]) => line)).toEqual(Object.keys(learned))
})

test.each(Object.keys(learned))('A caller can learn no more than: %s', async (line) => learned[line]?.())
