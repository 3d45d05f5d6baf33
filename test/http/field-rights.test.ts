import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filtersOf } from '#derive/parameters.ts'
import { kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { fieldPermissions, permissionOfRight, permissions } from '#registry/permissions.ts'
import { servedResources } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'

/** Every field with a right, in every operation of its resource, for a token whose account does not hold the right. */

const withRight = servedResources.flatMap((definition) =>
  Object.entries(definition.fields).flatMap(([field, kind]) =>
    kind.right ? [{ definition, resource: definition.name, field, right: permissionOfRight(kind.right), kind }] : [],
  ),
)
type Row = (typeof withRight)[number]

/** Values that nothing else has. */
const markers = new Map(
  withRight.map((row, place) => [row, row.kind.kind === 'money' ? 98_765_400 + place : `MARK${place}X`]),
)
const markerOf = (row: Row): Json => markers.get(row) as Json

let stage: Stage
let own: Company
const ids: { [resource: string]: number } = {}
const bodies: { [resource: string]: JsonObject } = {}
/** The write that changed the field from its marker to nothing and back. */
const writeIds = new Map<Row, string>()

const hold = (held: readonly string[]) => own.setAccount({ permissions: held })
const withoutRights = permissions.filter((one) => !fieldPermissions.includes(one))

beforeAll(async () => {
  stage = await openStage()
  own = await stage.company()
  for (const { name, title } of servedResources) {
    const marked = withRight.filter(({ resource }) => resource === name)
    bodies[name] = {
      [title]: 'Plain',
      external_ref: 'R-1',
      ...Object.fromEntries(marked.map((row) => [row.field, markerOf(row)])),
    }
    ids[name] = await own.create(name, bodies[name])
  }
  for (const row of withRight) {
    const path = `/v1/${row.resource}/${ids[row.resource]}`
    const cleared = await own.call('PATCH', path, { body: { [row.field]: null } })
    writeIds.set(row, cleared.headers['x-write-id'] as string)
    expect((await own.call('PATCH', path, { body: { [row.field]: markerOf(row) } })).status).toBe(200)
  }
  await untilTold(stage)
})
afterAll(() => stage.close())

/** Every read of the resource that names no withheld field. */
const readsOf = ({ resource, definition }: Row): string[] => {
  const path = `/v1/${resource}`
  return [
    path,
    `${path}?limit=1&after_id=0`,
    `${path}?sort=-${definition.title}`,
    `${path}?q=plain`,
    `${path}?fields=id,${definition.title}`,
    `${path}/${ids[resource]}`,
    `${path}/by/external_ref/R-1`,
    `${path}/${ids[resource]}/history`,
    '/v1/changes?limit=100',
  ]
}

describe('With its right a field is shown, found and written as ever', () => {
  beforeAll(() => hold(permissions))
  test.each(withRight)('$resource.$field', async (row) => {
    const { resource, field, kind } = row
    const { body } = await own.get(`/v1/${resource}/${ids[resource]}?fields=${field}`)
    expect(body.data).toEqual({ id: ids[resource], [field]: markerOf(row) })
    const all = await own.get(`/v1/${resource}/${ids[resource]}`)
    expect(all.body.data).toMatchObject({ [field]: markerOf(row) })
    expect((await own.get(`/v1/${resource}/${ids[resource]}/history`)).text).toContain(JSON.stringify(markerOf(row)))
    if (kindOf(kind).sortable) expect((await own.get(`/v1/${resource}?sort=${field}`)).status).toBe(200)
  })
})

describe('Without its right a field is absent, and a call that names it is refused with insufficient_scope', () => {
  beforeAll(() => hold(withoutRights))

  test.each(withRight)('$resource.$field: no read has it, its value or its null [V8.2.3]', async (row) => {
    for (const path of readsOf(row)) {
      const { status, text, body } = await own.get(path)
      expect(status, path).toBe(200)
      for (const value of markers.values()) expect(text, path).not.toContain(String(value))
      for (const record of recordsIn(body.data)) expect(Object.keys(record), path).not.toContain(row.field)
    }
  })

  test.each(withRight)('$resource.$field: no query names it, whatever else is wrong with the query', async (row) => {
    const { resource, definition, field, right, kind } = row
    const named = [
      `fields=${field}`,
      `fields=id, ${field}`,
      `fields=nonsense,${field}`,
      `fields=${field}&limit=-1`,
      ...(kindOf(kind).sortable ? [`sort=${field}`, `sort=-${field}`, `sort=id,-${field}&nonsense=1`] : []),
      ...filtersOf(definition).flatMap(({ parameter, field: filtered }) =>
        filtered === field ? [`${parameter}=1`] : [],
      ),
    ]
    for (const query of named) {
      const { status, body, headers } = await own.get(`/v1/${resource}?${encodeURI(query)}`)
      expect([query, status, body.code, body.required_scope]).toEqual([query, 403, 'insufficient_scope', right])
      expect(headers['www-authenticate']).toContain(`scope="${right}"`)
    }
    expect((await own.get(`/v1/${resource}/${ids[resource]}?fields=${field}`)).body.required_scope).toBe(right)
  })

  test.each(withRight)('$resource.$field: no body has it, whatever its value, and nothing is written', async (row) => {
    const { resource, definition, field, right } = row
    const path = `/v1/${resource}`
    const before = await versionsOf()
    for (const value of [markerOf(row), null, { odd: true }]) {
      const body = { [definition.title]: 'Sent', [field]: value }
      const operation = { op: 'create', records: resource, body }
      const calls = [
        ['POST', path, body],
        ['PATCH', `${path}/${ids[resource]}`, body],
        ['PUT', `${path}/by/external_ref/R-1`, body],
        ['PUT', `${path}/by/external_ref/R-2`, body],
        ...(['all', 'each'] as const).flatMap((mode) => [
          [
            'POST',
            '/v1/batch',
            {
              mode,
              operations: [{ op: 'create', records: resource, body: { [definition.title]: 'First' } }, operation],
            },
          ],
          ['POST', '/v1/batch', { mode, operations: [{ op: 'update', records: resource, id: ids[resource], body }] }],
        ]),
      ] as const
      for (const [method, to, sent] of calls) {
        for (const dry of ['', '?dry_run=1']) {
          const answer = await own.call(method as string, `${to}${dry}`, { body: sent })
          expect([method, to, answer.status, answer.body.required_scope]).toEqual([method, to, 403, right])
        }
      }
    }
    expect(await versionsOf()).toEqual(before)
  })

  test.each(withRight)('$resource.$field: no write that names other fields tells it or touches it', async (row) => {
    const { resource, definition, field } = row
    const path = `/v1/${resource}/${ids[resource]}`
    const title = `Named ${field}`
    const preview = await own.call('PATCH', `${path}?dry_run=1`, { body: { [definition.title]: title } })
    expect(preview.body.plan.changes).toMatchObject([{ fields: { [definition.title]: [expect.any(String), title] } }])
    const prefers = { Prefer: 'return=representation' }
    const done = await own.call('PATCH', path, { body: { [definition.title]: title }, headers: prefers })
    const gone = await own.call('DELETE', `${path}?dry_run=1`)
    for (const { status, text } of [preview, done, gone]) {
      expect(status).toBe(200)
      for (const value of markers.values()) expect(text).not.toContain(String(value))
    }
    expect(done.body.record).not.toHaveProperty(field)
    expect((await own.get(path)).headers.etag).toBe(done.headers.etag)
    await hold(permissions)
    expect((await own.get(path)).body.data).toMatchObject({ [field]: markerOf(row) })
    await hold(withoutRights)
  })

  test.each(withRight)('$resource.$field: an undo that would set it is refused, also as a dry-run', async (row) => {
    const before = await versionsOf()
    for (const dry of ['', '?dry_run=1']) {
      const { status, body, text } = await own.call('POST', `/v1/writes/${writeIds.get(row)}/undo${dry}`)
      expect([status, body.required_scope]).toEqual([403, row.right])
      expect(text).not.toContain(String(markerOf(row)))
    }
    expect(await versionsOf()).toEqual(before)
  })

  test.each(withRight.filter(({ definition, field }) => definition.search.includes(field)))(
    '$resource.$field: a search finds nothing by it, and counts nothing',
    async (row) => {
      const words = [String(markerOf(row)), String(markerOf(row)).toLowerCase().slice(0, 5), `plain ${markerOf(row)}`]
      const found = async (words: readonly string[]) =>
        Promise.all(
          words.flatMap((q) =>
            ['', '&after_id=0', `&sort=${row.definition.title}`].map(async (more) => {
              const { body, headers } = await own.get(`/v1/${row.resource}?q=${encodeURIComponent(q)}${more}`)
              return { data: body.data.length, total: body.meta.total, link: headers.link?.includes('next') ?? false }
            }),
          ),
        )
      await own.call('PATCH', `/v1/${row.resource}/${ids[row.resource]}`, { body: { [row.definition.title]: 'Plain' } })
      expect(new Set((await found(words)).map((one) => JSON.stringify(one)))).toEqual(
        new Set([JSON.stringify({ data: 0, total: 0, link: false })]),
      )
      expect((await found(['plain'])).map(({ total }) => total)).toEqual([1, 1, 1])
      await hold(permissions)
      expect((await found(words)).map(({ total }) => total)).toEqual(words.flatMap(() => [1, 1, 1]))
      await hold(withoutRights)
    },
  )

  test('writes of callers with different rights are never written together, and each is judged by its own', async () => {
    const held = await stage.company()
    const id = await held.create('workers', { name: 'Held', hourly_cost_minor: 98_765_999 })
    const patch = (company: Company, worker: number, body: object) =>
      company.call('PATCH', `/v1/workers/${worker}`, { body })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 3 === 0
          ? patch(own, ids.workers as number, { hourly_cost_minor: 1 })
          : n % 3 === 1
            ? patch(own, ids.workers as number, { name: `Worker ${n}` })
            : patch(held, id, { hourly_cost_minor: n }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 3 === 0 ? 403 : 200)))
  })

  test('one right opens its own fields and no others', async () => {
    for (const right of fieldPermissions) {
      await hold([...withoutRights, right])
      for (const row of withRight) {
        const { body } = await own.get(`/v1/${row.resource}/${ids[row.resource]}`)
        expect([row.field, row.field in body.data]).toEqual([row.field, row.right === right])
      }
    }
    await hold(withoutRights)
  })
})

/** Records, and those in changes, with what changed in them. */
function recordsIn(data: Json): JsonObject[] {
  const all = (Array.isArray(data) ? data : [data]) as JsonObject[]
  return all.flatMap((one) =>
    'record_id' in one ? ([one.record, one.changes].filter((each) => each !== null) as JsonObject[]) : [one],
  )
}

/** How many records of each resource there are, and their versions. */
const versionsOf = async () =>
  Object.fromEntries(
    await Promise.all(
      servedResources.map(async ({ name }) => [
        name,
        await stage.sql(`select id, version from ${name} where company_id = $1 order by id`, own.id),
      ]),
    ),
  )
