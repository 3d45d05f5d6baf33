import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { computedFields } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** Records × operations, made from the registry: a new kind of record or field is tested without a new line here. */

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const served = registry.filter((definition) => definition.served)
const writable = ({ fields }: Definition) => Object.entries(fields).filter(([, field]) => !field.readOnly)

/** A value of each field that the record accepts, with real records behind its references. */
async function full(own: Company, definition: Definition): Promise<JsonObject> {
  const values: JsonObject = {}
  for (const [name, field] of writable(definition))
    if (field.follows === undefined) values[name] = await sampleOf(own, definition, name, field)
  return values
}

async function sampleOf(own: Company, definition: Definition, name: string, field: Field): Promise<Json> {
  if (field.kind !== 'reference') return kindOf(field).example(field)
  // The project of an estimate is one of its client's; without both there is nothing to agree on.
  if (definition.name === 'estimates' && name === 'project_id') return null
  const target = registry.find((kind) => kind.name === field.to) as Definition
  // The record that a payment settles is issued.
  const [[column, values] = []] = Object.entries((field.settles && field.gives?.when) ?? {})
  const state = field.only ? { [field.only.column]: field.only.value } : column ? { [column]: values?.[0] as Json } : {}
  return own.record(field.to, {
    [target.title]: `For ${name} ${crypto.randomUUID().slice(0, 8)}`,
    ...(await neededBy(own, target, state)),
    ...state,
  })
}

/** The references that a record in this state must have, and the fields that the state needs. */
async function neededBy(own: Company, definition: Definition, state: JsonObject): Promise<JsonObject> {
  const { needs, fields } = definition
  const names = needs?.status.includes(String(state.status)) ? needs.fields : []
  const values: JsonObject = {}
  for (const [name, field] of Object.entries(fields))
    if (names.includes(name) || (field.kind === 'reference' && field.required))
      values[name] = await sampleOf(own, definition, name, field)
  return values
}

const dates: JsonObject = {
  start_date: '2026-01-01',
  end_date: '2026-12-31',
  hired_on: '2026-01-01',
  left_on: '2026-12-31',
  issue_date: '2026-01-01',
  valid_until: '2026-12-31',
}
const consistent = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, dates[name] ?? value]))

describe.each(served)('$name', (definition) => {
  const { name, title, fields } = definition

  test('create, fetch, list, update, delete [V15.3.1]', async () => {
    const own = await stage.company()
    const created = await own.call('POST', `/v1/${name}`, { body: { [title]: 'First' } })
    const { id } = created.body.data
    expect(created).toMatchObject({ status: 201, body: { data: { id, created: true, dry_run: false } } })
    expect(created.headers.location).toBe(`/v1/${name}/${id}`)

    const fetched = await own.get(`/v1/${name}/${id}`)
    expect(fetched.status).toBe(200)
    expect(Object.keys(fetched.body.data)).toEqual(Object.keys(fields))
    expect(fetched.headers.etag).toBe(created.headers.etag)

    const listed = await own.get(`/v1/${name}`)
    expect(listed.body).toEqual({ data: [fetched.body.data], meta: { total: 1, limit: 50, offset: 0 } })

    const updated = await own.call('PATCH', `/v1/${name}/${id}`, { body: { [title]: 'Second' } })
    expect(updated.body.data).toEqual({ id, updated: true, dry_run: false, changed: [title] })

    const deleted = await own.call('DELETE', `/v1/${name}/${id}`)
    expect(deleted.body.data).toMatchObject({ id, deleted: true, dry_run: false, deleted_with: [], kept: [] })
    expect((await own.get(`/v1/${name}/${id}`)).status).toBe(404)
    expect((await own.get(`/v1/${name}`)).body.meta.total).toBe(0)
  })

  test('its title is required on create and nothing else is', async () => {
    const { body } = await company.call('POST', `/v1/${name}`, { body: {} })
    expect(body.errors).toEqual([{ field: title, code: 'required', message: 'is required' }])
  })

  test('every field that can be sent is stored as it was sent', async () => {
    const own = await stage.company()
    const values = consistent(await full(own, definition))
    const id = await own.create(name, values)
    const { data } = (await own.get(`/v1/${name}/${id}`)).body
    expect(data).toMatchObject(values)
  })

  test.each(writable(definition).map(([field]) => field))(
    '%s can be set by PATCH, alone, and cleared where it is not required',
    async (field) => {
      const own = await stage.company()
      const kind = fields[field] as Field
      // A discount is at most what the lines add up to.
      const priced =
        kind.follows === undefined ? {} : { lines: kindOf(fields.lines as Field).example(fields.lines as Field) }
      const id = await own.create(name, { [title]: 'Patched', ...priced })
      const value = await sampleOf(own, definition, field, kind)
      const before = (await own.get(`/v1/${name}/${id}`)).body.data
      const set = await own.call('PATCH', `/v1/${name}/${id}`, { body: { [field]: value } })
      expect(set.status, set.text).toBe(200)
      const after = (await own.get(`/v1/${name}/${id}`)).body.data
      expect(after[field]).toEqual(value)
      const changed = Object.keys(after).filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]))
      const computed = computedFields(definition).map(({ name }) => name)
      expect(changed.filter((key) => ![field, 'updated_at', ...computed].includes(key))).toEqual([])

      const cleared = await own.call('PATCH', `/v1/${name}/${id}`, { body: { [field]: null } })
      if (kind.required || (kind.kind === 'text' && kind.numbered)) {
        expect(cleared.body.errors).toMatchObject([{ field, code: 'required' }])
      } else if (field !== 'meter_hours') {
        expect(cleared.status).toBe(200)
        expect((await own.get(`/v1/${name}/${id}`)).body.data[field]).toBeNull()
      }
    },
  )

  test.each(Object.keys(fields).filter((field) => fields[field]?.readOnly))(
    '%s cannot be sent [V15.3.3]',
    async (field) => {
      const { body } = await company.call('POST', `/v1/${name}`, { body: { [title]: 'X', [field]: null } })
      expect(body.errors).toMatchObject([{ field, code: 'read_only' }])
    },
  )

  test.each(writable(definition))(
    '%s refuses a value of a wrong sort, and says what it must be [V2.2.1] [V15.3.5]',
    async (field, kind) => {
      const wrong = kind.kind === 'address' || kind.kind === 'lines' ? 'text' : { an: 'object' }
      const { body } = await company.call('POST', `/v1/${name}`, { body: { [title]: 'X', [field]: wrong } })
      expect(body.errors).toMatchObject([{ field, code: 'wrong_type', message: kindOf(kind).must(kind) }])
    },
  )

  test.each(definition.filters.map((filter) => filter))('can be filtered by %s', async (filter) => {
    const own = await stage.company()
    const complete = {
      ...(filter === 'status' ? {} : { [filter]: await sampleOf(own, definition, filter, fields[filter] as Field) }),
    }
    const needed =
      filter === 'project_id' && name === 'estimates'
        ? { [filter]: await own.create('projects', { name: 'P' }) }
        : complete
    const id = await own.create(name, { [title]: 'Wanted', ...needed })
    const value = (await own.get(`/v1/${name}/${id}`)).body.data[filter]
    const { body } = await own.get(`/v1/${name}?${filter}=${value}`)
    expect(body.data.map((record: { id: number }) => record.id)).toEqual([id])
  })

  test.each(definition.search.map((field) => field))('q looks in %s', async (field) => {
    const own = await stage.company()
    const word = `Żółć${crypto.randomUUID().slice(0, 6)}`
    const kind = fields[field] as Field
    const value =
      kind.kind === 'email'
        ? `${crypto.randomUUID().slice(0, 8)}@find.example`
        : kind.kind === 'phone'
          ? '+48 600 700 800'
          : word
    await own.create(name, { [title]: 'Other' })
    const id = await own.create(name, { [title]: 'Sought', [field]: value })
    const asked = kind.kind === 'phone' ? '700' : value.toUpperCase()
    const { body } = await own.get(`/v1/${name}?q=${encodeURIComponent(asked)}`)
    expect(body.data.map((record: { id: number }) => record.id)).toEqual([id])
  })

  test('the history says who wrote what, with old and new values', async () => {
    const own = await stage.company()
    const id = await own.create(name, { [title]: 'Old' })
    await own.call('PATCH', `/v1/${name}/${id}`, { body: { [title]: 'New' } })
    await own.call('DELETE', `/v1/${name}/${id}`)
    const rows = await stage.sql(
      'select action, door, account_id, changes from history where company_id = $1 and records = $2 order by id',
      own.id,
      name,
    )
    const last = definition.removal.hardWhen ? 'erased' : 'deleted'
    expect(rows).toMatchObject([
      { action: 'created', door: 'api', account_id: own.accountId },
      { action: 'changed', changes: { [title]: ['Old', 'New'] } },
      { action: last },
    ])
  })
})

describe.each(registry.filter((definition) => !definition.served))('$name (ERP-only)', (definition) => {
  test('has no route', async () => {
    expect((await company.get(`/v1/${definition.name}`)).status).toBe(404)
  })

  test('is created through the services with every field', async () => {
    const own = await stage.company()
    const values = await full(own, definition)
    const id = await own.record(definition.name, { ...values, ...(values.due_on ? { issued_on: '2026-01-01' } : {}) })
    expect(id).toBeGreaterThan(0)
  })
})
