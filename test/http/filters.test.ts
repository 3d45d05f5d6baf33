import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
let other: Company
const ids: { [name: string]: number } = {}
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  other = await stage.company()
  for (const name of ['Harbor', 'Quay']) ids[name] = await company.create('clients', { name })
  const projects = [
    { name: 'Alpha', client_id: ids.Harbor, status: 'ACTIVE', start_date: '2026-01-01', external_ref: 'CRM-1' },
    { name: 'Beta', client_id: ids.Harbor, status: 'ON_HOLD', start_date: '2026-01-31', external_ref: 'ÄB, 2' },
    { name: 'Gamma', client_id: ids.Quay, status: 'ACTIVE', start_date: '2026-02-01' },
    { name: 'Delta', client_id: ids.Quay, status: 'BIDDING', start_date: null },
  ]
  for (const project of projects) ids[project.name] = await company.create('projects', project)
  ids.Gone = await company.create('projects', { name: 'Gone', client_id: ids.Quay, status: 'ACTIVE' })
  await company.call('DELETE', `/v1/projects/${ids.Gone}`)
  ids.Theirs = await other.create('projects', { name: 'Theirs', external_ref: 'CRM-9' })
})
afterAll(() => stage.close())

/** A query with names in place of ids: `client_id_in=<Harbor>,<Quay>`. */
const withIds = (query: string): string => query.replaceAll(/<(\w+)>/g, (_, name: string) => String(ids[name]))

const found: { why: string; query: string; names: string[] }[] = [
  { why: 'one of several words', query: 'status_in=ON_HOLD,BIDDING', names: ['Beta', 'Delta'] },
  { why: 'a word that is named twice counts once', query: 'status_in=ON_HOLD,ON_HOLD', names: ['Beta'] },
  {
    why: 'one of several references',
    query: 'client_id_in=<Harbor>,<Quay>',
    names: ['Alpha', 'Beta', 'Gamma', 'Delta'],
  },
  { why: 'a reference to no record is passed over', query: 'client_id_in=999999,<Quay>', names: ['Gamma', 'Delta'] },
  {
    why: 'one value and several, both hold',
    query: 'status=ACTIVE&status_in=ACTIVE,ON_HOLD',
    names: ['Alpha', 'Gamma'],
  },
  { why: 'and both hold where they share none', query: 'status=ACTIVE&status_in=ON_HOLD', names: [] },
  { why: 'two fields', query: 'status_in=ACTIVE,ON_HOLD&client_id_in=<Harbor>', names: ['Alpha', 'Beta'] },
  { why: 'ids', query: 'id_in=<Gamma>,<Alpha>', names: ['Alpha', 'Gamma'] },
  { why: 'an id of no record is passed over', query: 'id_in=<Gamma>,<Gone>,<Theirs>,999999', names: ['Gamma'] },
  { why: 'ids and a word', query: 'id_in=<Alpha>,<Beta>&status=ACTIVE', names: ['Alpha'] },
  { why: 'from a day on, that day too', query: 'start_date_from=2026-01-31', names: ['Beta', 'Gamma'] },
  { why: 'up to a day, that day too', query: 'start_date_to=2026-01-31', names: ['Alpha', 'Beta'] },
  { why: 'from and to one day', query: 'start_date_from=2026-01-31&start_date_to=2026-01-31', names: ['Beta'] },
  { why: 'days and a word', query: 'start_date_from=2026-01-01&status=ACTIVE', names: ['Alpha', 'Gamma'] },
  { why: 'your reference', query: 'external_ref=CRM-1', names: ['Alpha'] },
  { why: 'your reference, capitals apart', query: 'external_ref=crm-1', names: ['Alpha'] },
  { why: 'a reference with a comma', query: 'external_ref=%C3%A4b,+2', names: ['Beta'] },
  { why: 'a reference of another company', query: 'external_ref=CRM-9', names: [] },
  { why: 'your reference and a word', query: 'external_ref=CRM-1&status=ON_HOLD', names: [] },
  { why: 'words of a search and of a field', query: 'q=a&status_in=ON_HOLD,BIDDING', names: ['Beta', 'Delta'] },
  { why: 'sorted', query: 'status_in=ACTIVE,ON_HOLD&sort=-name', names: ['Gamma', 'Beta', 'Alpha'] },
  { why: 'a walk', query: 'status_in=ACTIVE,ON_HOLD&after_id=<Alpha>', names: ['Beta', 'Gamma'] },
  { why: 'a walk over ids', query: 'id_in=<Alpha>,<Beta>&after_id=<Alpha>', names: ['Beta'] },
  { why: 'a walk over days', query: 'start_date_from=2026-01-01&after_id=0', names: ['Alpha', 'Beta', 'Gamma'] },
]

describe.each(found)('A list is narrowed by $why', ({ query, names }) => {
  test(query, async () => {
    const { status, body } = await company.get(`/v1/projects?${withIds(query)}`)
    expect(status).toBe(200)
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(names)
    if (!query.includes('after_id')) expect(body.meta.total).toBe(names.length)
  })
})

const many = Array.from({ length: 101 }, (_, index) => index + 1)
const refused: { query: string; says: RegExp }[] = [
  { query: 'status_in=ACTIVE,active', says: /status_in is "active"; it must be one of/ },
  { query: 'status_in=ACTIVE,', says: /status_in is ""/ },
  { query: 'status_in=', says: /status_in is ""/ },
  { query: 'client_id_in=1,,2', says: /client_id_in is ""; it must be a whole number from 1/ },
  { query: 'id_in=0', says: /id_in is "0"/ },
  { query: `id_in=${many}`, says: /id_in names more than 100 values/ },
  { query: 'start_date_from=2026-02-29', says: /start_date_from is "2026-02-29"; it must be a day of the calendar/ },
  { query: 'start_date_from=2026-02-02&start_date_to=2026-02-01', says: /is after start_date_to/ },
  { query: 'external_ref=', says: /external_ref is ""; it must be text/ },
  { query: `external_ref=${'x'.repeat(121)}`, says: /it must be text of 1 to 120 characters/ },
]

test.each(refused)('A filter that cannot be read is refused: $query', async ({ query, says }) => {
  const { status, body } = await company.get(`/v1/projects?${query}`)
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_parameter' })
  expect(body.detail).toMatch(says)
})

test('A hundred ids are one page, however many are asked for', async () => {
  const { body } = await company.get(`/v1/projects?limit=100&id_in=${[...many.slice(0, 99), ids.Delta]}`)
  expect(body.data.map(({ id }: { id: number }) => id)).toContain(ids.Delta)
})
