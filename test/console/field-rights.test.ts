import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filtersOf } from '#derive/parameters.ts'
import { kindOf } from '#registry/fields/index.ts'
import type { Json } from '#registry/json.ts'
import { fieldPermissions, permissionOfRight, permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { withEveryFilter } from '#server/console-api/read-parameters.ts'
import { findEvent, readEvents } from '#server/webhooks/log.ts'
import { untilTold } from '../stage/wait.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

/** Every field with a right, in every operation of the interface, for an account that does not hold the right. */

const withRight = registry.flatMap(({ fields, ...definition }) =>
  Object.entries(fields).flatMap(([field, kind]) =>
    kind.right && !kind.readOnly
      ? [
          {
            definition: { fields, ...definition },
            resource: definition.name,
            field,
            right: permissionOfRight(kind.right),
            kind,
          },
        ]
      : [],
  ),
)
type Row = (typeof withRight)[number]

/** Values that nothing else has. */
const markers = new Map(
  withRight.map((row, place) => [row, row.kind.kind === 'money' ? 98_765_400 + place : `MARK${place}X`]),
)
const markerOf = (row: Row): Json => markers.get(row) as Json

let stage: ConsoleStage
let admin: Awaited<ReturnType<ConsoleStage['admin']>>
let foreman: Person
let ids: { [resource: string]: number }
const writeIds = new Map<Row, string>()

beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
  foreman = await stage.person(
    admin.company,
    permissions.filter((one) => !fieldPermissions.includes(one)),
  )
  ids = await oneOfEach(admin.company)
  for (const row of withRight) {
    const path = `/console/records/${row.resource}/${ids[row.resource]}`
    for (const value of [markerOf(row), null, markerOf(row)]) {
      const { status, headers } = await admin.ask('PATCH', path, { [row.field]: value })
      expect(status, path).toBe(200)
      if (value === null) writeIds.set(row, headers['x-write-id'] as string)
    }
  }
  await untilTold(stage)
})
afterAll(() => stage.close())

const isSaid = (text: string): string[] => [...markers.values()].map(String).filter((value) => text.includes(value))

describe('Without its right a field is absent from all that the interface is told', () => {
  test.each(withRight)('$resource.$field: in lists, pages, files, histories and the morning [V8.2.3]', async (row) => {
    const { resource, field } = row
    const path = `/console/records/${resource}`
    const paths = [
      path,
      `${path}?limit=1`,
      `${path}/${ids[resource]}`,
      `${path}/${ids[resource]}/history`,
      `${path}.csv`,
    ]
    for (const one of [...paths, '/console/home', '/console/removals', '/console/me']) {
      const { text } = await foreman.get(one)
      expect([one, isSaid(text)]).toEqual([one, []])
    }
    expect((await foreman.get(`${path}/${ids[resource]}`)).body.data).not.toHaveProperty(field)
    const [first = ''] = (await foreman.get(`${path}.csv`)).text.split('\r\n')
    expect(first.split(',')).not.toContain(field)
    const [all = ''] = (await admin.get(`${path}.csv`)).text.split('\r\n')
    expect(all.split(',')).toContain(field)
    expect((await admin.get(`${path}/${ids[resource]}/history`)).text).toContain(String(markerOf(row)))
  })

  test.each(withRight)('$resource.$field: a query or a body that names it is refused', async (row) => {
    const { resource, definition, field, right, kind } = row
    const path = `/console/records/${resource}`
    const filters = filtersOf(withEveryFilter(definition)).filter((filter) => filter.field === field)
    const queries = [
      `fields=${field}`,
      ...(kindOf(kind).sortable ? [`sort=-${field}`] : []),
      ...filters.map(({ parameter }) => `${parameter}=1`),
    ]
    const before = await stage.sql(`select id, version from ${resource} order by id`)
    const body = { [definition.title]: 'Sent', [field]: null }
    const answers = [
      ...(await Promise.all(
        queries.flatMap((query) => [`${path}?${query}`, `${path}.csv?${query}`]).map((one) => foreman.get(one)),
      )),
      await foreman.get(`${path}/${ids[resource]}?fields=${field}`),
      await foreman.ask('POST', path, body),
      await foreman.ask('PATCH', `${path}/${ids[resource]}`, body),
      await foreman.ask('PATCH', `${path}/${ids[resource]}?dry_run=1`, body),
      await foreman.ask('POST', `/console/records/${resource}/batch?dry_run=1`, {
        operations: [{ op: 'create', body }],
      }),
      await foreman.ask('POST', `/console/imports/${resource}/look-up`, { field, values: [String(markerOf(row))] }),
      await foreman.ask('POST', `/console/writes/${writeIds.get(row)}/undo`),
    ]
    for (const { status, body: said, text } of answers) {
      expect([status, said.code, said.required_scope]).toEqual([403, 'insufficient_scope', right])
      expect(isSaid(text)).toEqual([])
    }
    expect(await stage.sql(`select id, version from ${resource} order by id`)).toEqual(before)
  })

  test.each(withRight.filter(({ definition, field }) => definition.search.includes(field)))(
    '$resource.$field: a search and a file find nothing by it',
    async (row) => {
      const path = `/console/records/${row.resource}`
      const query = `q=${markerOf(row)}`
      expect((await foreman.get(`${path}?${query}`)).body).toMatchObject({ data: [], meta: { total: 0 } })
      expect((await foreman.get(`${path}.csv?${query}`)).text.trim().split('\r\n')).toHaveLength(1)
      expect((await admin.get(`${path}?${query}`)).body.meta.total).toBe(1)
    },
  )

  test('in a write of another field, its preview and its tag', async () => {
    for (const row of withRight) {
      const path = `/console/records/${row.resource}/${ids[row.resource]}`
      const title = { [row.definition.title]: `By the foreman ${row.field}` }
      const preview = await foreman.ask('PATCH', `${path}?dry_run=1`, title)
      const done = await foreman.ask('PATCH', path, title)
      expect([preview.status, done.status]).toEqual([200, 200])
      expect(isSaid(preview.text + done.text)).toEqual([])
      expect((await foreman.get(path)).headers.etag).toBe(done.headers.etag)
    }
  })
})

describe('What a webhook says is what the account may see that answers for it', () => {
  test('at the moment at which it is sent', async () => {
    const ask = { companyId: admin.company.id, after: { epoch: 0, pos: '0', id: 0, line: null }, limit: 100 }
    const records = [...new Set(withRight.map(({ resource }) => resource))].filter((name) => name in ids)
    await untilTold(stage)
    const all = await readEvents(stage.app.database, { ...ask, records, lacks: null })
    const cut = await readEvents(stage.app.database, { ...ask, records, lacks: fieldPermissions })
    expect(isSaid(JSON.stringify(all.events)).length).toBeGreaterThan(0)
    expect(isSaid(JSON.stringify(cut.events))).toEqual([])
    expect(cut.events.map(({ change }) => change.id)).toEqual(all.events.map(({ change }) => change.id))
    expect(cut.events.map(({ change }) => change.changes)).toContainEqual({})
    const [first] = all.events
    const { change, before } = first as (typeof all.events)[number]
    const named = { companyId: ask.companyId, after: before, event: change.event, id: change.id }
    expect((await findEvent(stage.app.database, { ...named, lacks: fieldPermissions }))?.change.id).toBe(change.id)
  })
})
