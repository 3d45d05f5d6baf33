import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownOperations, standardOperations } from '#derive/operations/index.ts'
import type { DataOperation, ResourceOperation } from '#derive/operations/operation.ts'
import { commonFacts, idOf, recordPath } from '#derive/operations/record.ts'
import { isDataRoute, type ResourceRoute, routes } from '#derive/routes.ts'
import type { JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import { registry, servedResources } from '#registry/resources/index.ts'
import type { ReadHandler } from '#server/pipeline/handler.ts'
import { handlers } from '#server/pipeline/handlers/index.ts'
import { createResponse } from '#server/pipeline/response.ts'
import { pathId } from '#server/protocol/path-id.ts'
import { fetchWithCaller } from '#sql/records/read.ts'
import { freshDatabase } from '../stage/database.ts'
import { attackCopy, inCopy } from './planted.ts'
import { type Report, rules } from './report.ts'
import { attack } from './run.ts'

/** An operation that is added to the list, and to its handlers, is attacked by itself. */

const card: ResourceOperation<'read'> = (definition, base) => ({
  ...commonFacts(definition, 'VIEW'),
  method: 'GET',
  path: `${recordPath(definition, base)}/card`,
  summary: `Card of a ${definition.one}`,
  description: ['Shows what is on the card of the record.'],
  pathParameters: [idOf(definition)],
  refusals: ['not_found'],
  answer: {
    description: 'The card.',
    headers: ['RequestId'],
    schema: 'Card',
    examples: { one: { summary: 'One', description: 'As it is.', value: { data: { title: 'Wall' } } } },
  },
  schemas: { Card: { type: 'object', description: 'A card.', properties: { data: { type: 'object' } } } },
  collection: { turn: 'uses', requests: [{ sends: [], offers: [], title: 'It is a card', checks: [] }] },
})

type Shown = (definition: ResourceRoute['definition'], record: JsonObject) => JsonObject
const cardHandler =
  (shown: Shown): ReadHandler<ResourceRoute> =>
  ({ definition }) =>
  ({ params }, _query, { ask }) => ({
    statement: fetchWithCaller(ask, definition, pathId(params) ?? 0),
    reply({ json }: { json: string | null }) {
      if (json === null) throw new Refusal('not_found')
      return createResponse(200, shown(definition, JSON.parse(json)))
    },
  })

const operations = { standard: { ...standardOperations, card }, own: ownOperations }
const scopeless: ResourceOperation<'read'> = (definition, base) =>
  ({ ...card(definition, base), scope: null }) as unknown as DataOperation<'read'> & ReturnType<typeof card>

const run = async (by: ReadHandler<ResourceRoute>, described = operations): Promise<Report> => {
  const { connection, drop } = await freshDatabase()
  const made = routes(registry, described)
  // What is attacked is what the operation says of itself, whatever is served.
  const surface = {
    routes: routes(registry, operations)
      .filter(isDataRoute)
      .filter(({ id }) => id.endsWith('.card')),
    consoleRoutes: [],
    tools: [],
    records: registry.map(({ name }) => name),
  }
  try {
    return await attack(connection, {
      form: 'short',
      surface,
      made: { routes: made, handlers: { ...handlers, card: by } },
    })
  } finally {
    await drop()
  }
}

const titleAlone: Shown = (definition, record) => ({ title: record[definition.title] ?? null })

test('A made-up operation is attacked on every resource, by every account and between companies', async () => {
  const { findings, byOperation, comparisons } = await run(cardHandler(titleAlone))
  expect(findings).toEqual([])
  const cards = [...byOperation].filter(([id]) => id.endsWith('.card'))
  expect(cards.map(([id]) => id).toSorted()).toEqual(servedResources.map(({ name }) => `${name}.card`).toSorted())
  for (const [id, calls] of cards) expect(calls, id).toBeGreaterThan(8)
  expect(comparisons).toBeGreaterThan(0)
})

test('A made-up operation is found that shows a withheld field, asks for no scope, and tells whether somebody else has the id', async () => {
  const leaky: ReadHandler<ResourceRoute> = (route) => {
    const read = cardHandler((_, record) => record)(route)
    return (call, query, means) => {
      const planned = read(call, query, means)
      return {
        ...planned,
        reply(...given) {
          try {
            return planned.reply(...given)
          } catch {
            const isSomebodys = Number(call.params.id) < 900_000
            throw new Refusal('not_found', { detail: isSomebodys ? 'It is not yours.' : 'There is none.' })
          }
        },
      }
    }
  }
  const { findings } = await run(leaky, { ...operations, standard: { ...standardOperations, card: scopeless } })
  expect([...new Set(findings.map(({ rule }) => rule))]).toEqual(
    expect.arrayContaining([rules.isAllowedToSee, rules.isRefused, rules.isLikeNobodys]),
  )
  expect(findings.map(({ says }) => says)).toContain('the field hourly_cost_minor')
})

test(
  'A made-up resource with a field of a made-up permission is attacked in every operation, and clean',
  { timeout: 600_000 },
  () =>
    inCopy(async (checkout) => {
      await addVehicles(checkout)
      const { findings, operations } = await attackCopy(checkout, 'rights', 'vehicles')
      expect(findings).toEqual([])
      const added = Object.keys(operations).filter((id) => id.includes('vehicles'))
      expect(added).toEqual(
        expect.arrayContaining([
          'vehicles.list',
          'vehicles.create',
          'console.vehicles.export',
          'console.vehicles.delete',
        ]),
      )
      expect(added.length).toBeGreaterThan(20)
    }),
)

/** Adds a resource to the registry of a copy, with its table. */
async function addVehicles(checkout: string): Promise<void> {
  const edit = async (file: string, at: string, put: string): Promise<void> => {
    const text = await readFile(join(checkout, file), 'utf8')
    if (!text.includes(at)) throw new Error(`${file} has no ${at}`)
    await writeFile(join(checkout, file), text.replace(at, put))
  }
  await writeFile(join(checkout, 'registry/resources/vehicles.ts'), vehicles)
  await edit(
    'registry/resources/index.ts',
    'const resources = [\n',
    "import { vehicles } from './vehicles.ts'\n\nconst resources = [\n  vehicles,\n",
  )
  await edit('registry/fields/kind.ts', "'TAX']", "'TAX', 'FLEET']")
  const print =
    "import { vehicles } from '#registry/resources/vehicles.ts'\nimport { tables } from './asked-tables.ts'\nconsole.log(tables([vehicles]))\n"
  await writeFile(join(checkout, 'test/house/print.ts'), print)
  const sql = execFileSync(process.execPath, ['test/house/print.ts'], { cwd: checkout, encoding: 'utf8' })
  await writeFile(join(checkout, 'migrations/9000-vehicles.sql'), sql)
}

const vehicles = `import { resource } from '../common.ts'

export const vehicles = resource({
  name: 'vehicles',
  one: 'vehicle',
  about: 'Something that drives.',
  title: 'name',
  served: { addOn: 'api' },
  fields: {
    name: { kind: 'text', max: 120, required: true, example: 'Van 3', about: 'What it is called.' },
    plate: { kind: 'text', max: 120, unique: true, right: 'FLEET', example: 'B 3', about: 'Its plate.' },
    leased_minor: { kind: 'money', right: 'FLEET', about: 'What the lease costs.' },
  },
  search: ['name', 'plate'],
  filters: [],
  removal: { instead: 'keep it', relations: [] },
})
`
