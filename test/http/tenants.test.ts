import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let mine: Company
let theirs: Company
const served = registry.filter((definition) => definition.served)
const foreign: { [kind: string]: number } = {}
beforeAll(async () => {
  stage = await openStage()
  mine = await stage.company()
  theirs = await stage.company()
  foreign.trades = await theirs.record('trades', { name: 'Theirs' })
  foreign.categories = await theirs.record('categories', { name: 'Theirs', kind: 'project' })
  for (const { name, title } of served) foreign[name] = await theirs.create(name, { [title]: 'Theirs' })
})
afterAll(() => stage.close())

const nobody = 999_999_999
const plain = ({ status, body }: { status: number; body: object }) => ({ status, ...body, request_id: '' })

describe('Another company’s id behaves exactly as one that does not exist [V8.2.2] [V8.4.1]', () => {
  test.each(served.map(({ name }) => name))('%s: fetch, update, preview, delete', async (name) => {
    const calls = (id: number) => [
      mine.get(`/v1/${name}/${id}`),
      mine.call('PATCH', `/v1/${name}/${id}`, { body: { notes: 'x' } }),
      mine.call('DELETE', `/v1/${name}/${id}?dry_run=1`),
      mine.call('DELETE', `/v1/${name}/${id}`),
    ]
    const [theirsSeen, nobodySeen] = [
      await Promise.all(calls(foreign[name] as number)),
      await Promise.all(calls(nobody)),
    ]
    expect(theirsSeen.map(plain)).toEqual(nobodySeen.map(plain))
    expect((await theirs.get(`/v1/${name}/${foreign[name]}`)).status).toBe(200)
  })

  const references = served.flatMap((definition) =>
    Object.entries(definition.fields).flatMap(([field, { kind, ...rest }]) =>
      kind === 'reference' && 'to' in rest
        ? [{ name: definition.name, title: definition.title, field, to: rest.to }]
        : [],
    ),
  )
  test.each(references)('$name.$field as a reference and as a filter', async ({ name, title, field, to }) => {
    const post = (id: number) => mine.call('POST', `/v1/${name}`, { body: { [title]: 'Mine', [field]: id } })
    const [theirsSeen, nobodySeen] = [await post(foreign[to] as number), await post(nobody)]
    expect(plain(theirsSeen)).toEqual(plain(nobodySeen))
    expect(theirsSeen.status).toBe(422)
    if (!definitionOf(registry, name)?.filters.includes(field)) return
    expect((await mine.get(`/v1/${name}?${field}=${foreign[to]}`)).body).toMatchObject({ data: [], meta: { total: 0 } })
  })
})

test('Two companies, random operations: each company’s listing equals its own model', async () => {
  type Model = Map<number, { name: string; notes: string | null }>
  const name = fc.constantFrom('Ada', 'ada', 'Åda', '%', "O'Hara", '名')
  const step = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), who: fc.nat(1), name, keyed: fc.boolean() }),
    fc.record({ kind: fc.constant('patch' as const), who: fc.nat(1), pick: fc.nat(50), notes: fc.option(name) }),
    fc.record({ kind: fc.constant('delete' as const), who: fc.nat(1), pick: fc.nat(50), dry: fc.boolean() }),
    // With an id of the other company: never an effect.
    fc.record({ kind: fc.constant('trespass' as const), who: fc.nat(1), pick: fc.nat(50), remove: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const companies = [await stage.company(), await stage.company()]
      const models: Model[] = [new Map(), new Map()]
      for (const next of steps) {
        const own = companies[next.who] as Company
        const model = models[next.who] as Model
        const picked = (from: Model) =>
          'pick' in next ? [...from.keys()][next.pick % Math.max(1, from.size)] : undefined
        if (next.kind === 'create') {
          const options = {
            body: { name: next.name },
            headers: next.keyed ? { 'Idempotency-Key': crypto.randomUUID() } : {},
          }
          const first = await own.call('POST', '/v1/clients', options)
          if (next.keyed) expect((await own.call('POST', '/v1/clients', options)).text).toBe(first.text)
          model.set(first.body.data.id, { name: next.name, notes: null })
        } else if (next.kind === 'patch') {
          const id = picked(model)
          const { status } = await own.call('PATCH', `/v1/clients/${id ?? nobody}`, { body: { notes: next.notes } })
          expect(status).toBe(id === undefined ? 404 : 200)
          if (id !== undefined) (model.get(id) as { notes: string | null }).notes = next.notes
        } else if (next.kind === 'delete') {
          const id = picked(model)
          const { status } = await own.call('DELETE', `/v1/clients/${id ?? nobody}${next.dry ? '?dry_run=1' : ''}`)
          expect(status).toBe(id === undefined ? 404 : 200)
          if (id !== undefined && !next.dry) model.delete(id)
        } else {
          const id = picked(models[1 - next.who] as Model) ?? nobody
          const answer = next.remove
            ? await own.call('DELETE', `/v1/clients/${id}`)
            : await own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Trespasser' } })
          expect(answer.status).toBe(404)
        }
      }
      for (const [index, own] of companies.entries()) {
        const { body } = await own.get('/v1/clients?limit=100')
        const listed = body.data.map(({ id, name, notes }: { id: number; name: string; notes: string | null }) => [
          id,
          { name, notes },
        ])
        expect(listed).toEqual([...(models[index] as Model)])
        expect(body.meta.total).toBe(models[index]?.size)
      }
    }),
    { numRuns: 25, verbose: 1 },
  )
})
