import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { choicesPath, chosenFields, chosenFrom } from '#derive/operations/choices.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import { servedResources } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

/** Every reference to a resource without routes. */
const references = servedResources.flatMap((definition) =>
  chosenFields(definition).map((field) => ({ definition, field, path: choicesPath(definition, field) })),
)

test('there are five of them', () => {
  expect(references.map(({ path }) => path)).toEqual([
    '/v1/choices/projects/category_id',
    '/v1/choices/workers/trade_id',
    '/v1/choices/clients/category_id',
    '/v1/choices/subcontractors/trade_id',
    '/v1/choices/equipment/category_id',
  ])
})

describe.each(references)('GET $path', ({ definition, field, path }) => {
  const to = chosenFrom(definition, field)
  const { only } = definition.fields[field] as ReferenceField
  const body = (title: string) => ({ [to.title]: title, ...(only ? { [only.column]: only.value } : {}) })

  test('lists by id and title what the field can be, and nothing else', async () => {
    const own = await stage.company()
    const other = await stage.company()
    await other.record(to.name, body('Of another company'))
    const [first, second] = [await own.record(to.name, body('One')), await own.record(to.name, body('Two'))]
    const gone = await own.record(to.name, body('Gone'))
    await stage.sql(`update ${to.name} set deleted_at = now() where company_id = $1 and id = $2`, own.id, gone)
    await stage.sql('insert into tally_changes (company_id, records, change) values ($1, $2, -1)', own.id, to.name)
    if (only)
      await own.record(to.name, {
        ...body('Of another sort'),
        [only.column]: only.value === 'project' ? 'client' : 'project',
      })
    const answer = await own.get(path)
    expect(answer.body).toEqual({
      data: [
        { id: first, title: 'One' },
        { id: second, title: 'Two' },
      ],
      meta: { total: 2, limit: 50 },
    })
    for (const { id } of answer.body.data)
      await own.create(definition.name, { [definition.title]: `With ${id}`, [field]: id })
  })

  test('a value that cannot be chosen is refused with this path', async () => {
    const refused = await company.call('POST', `/v1/${definition.name}`, {
      body: { [definition.title]: 'Wrong', [field]: 999_999_999 },
    })
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toEqual([
      { field, code: 'not_found', message: expect.stringMatching(new RegExp(`; \`GET ${path}\` lists them$`)) },
    ])
  })

  test('needs the right to read the records that have the field', async () => {
    const writer = await stage.company({ scopes: [`${definition.name.toUpperCase()}_EDIT`] })
    const refused = await writer.get(path)
    expect([refused.status, refused.body.required_scope]).toEqual([403, `${definition.name.toUpperCase()}_VIEW`])
  })
})

test('what is served is found by its own list and has no choices', async () => {
  expect((await company.get('/v1/choices/projects/client_id')).status).toBe(404)
})

test('the choices come in pages, by words, and with an ETag', async () => {
  const own = await stage.company()
  const ids: number[] = []
  for (const name of ['Roof tiles', 'Roof beams', 'Doors']) ids.push(await own.record('trades', { name }))
  const path = '/v1/choices/workers/trade_id'
  const first = await own.get(`${path}?limit=2`)
  expect(first.body.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 2))
  expect(first.headers.link).toBe(
    `<${path}?limit=2&after_id=${ids[1]}>; rel="next", <${path}?limit=2&after_id=0>; rel="first"`,
  )
  const next = await own.get(`${path}?limit=2&after_id=${ids[1]}`)
  expect(next.body).toMatchObject({ data: [{ id: ids[2], title: 'Doors' }], meta: { total: 3, limit: 2 } })
  expect(next.headers.link).toBe(`<${path}?limit=2&after_id=0>; rel="first"`)
  expect((await own.get(`${path}?q=roof`)).body.meta.total).toBe(2)
  const tag = { 'If-None-Match': first.headers.etag as string }
  expect((await own.get(`${path}?limit=2`, tag)).status).toBe(304)
  for (const query of ['offset=1', 'sort=name', 'fields=id', 'kind=project'])
    expect((await own.get(`${path}?${query}`)).body.code).toBe('unknown_parameter')
})
