import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyOfCheckout } from '../stage/checkout.ts'
import { type Edit, madeUp } from './made-up-lines.ts'
import { statementsOf } from './statements-listed.ts'

const root = join(import.meta.dirname, '../..')

/** The rows of "Where to put a line" in ARCHITECTURE: what somebody wants to add, and the places that are named. */
const rows = new Map(
  [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| add (an? [\w ]+) \| (.*) \|$/gm)].map((row) => [
    row[1] as string,
    [...(row[2] as string).matchAll(/`([\w./-]+)`/g)].map(([, place]) => place as string),
  ]),
)

const folder = await mkdtemp(join(tmpdir(), 'plumbline-lines-'))
const house = join(folder, 'house')
beforeAll(async () => {
  await copyOfCheckout(house)
  for (const edit of Object.values(madeUp).flat()) await make(edit)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function make({ file, at, put }: Edit): Promise<void> {
  const path = join(house, file)
  if (at === undefined) return existsSync(path) ? appendFile(path, put) : writeFile(path, put)
  const text = await readFile(path, 'utf8')
  if (!text.includes(at)) throw new Error(`${file} has no ${at}`)
  await writeFile(
    path,
    text.replace(at, () => put),
  )
}

test('ARCHITECTURE says where each sort of line goes', () => {
  expect([...rows.keys()].toSorted()).toEqual(Object.keys(madeUp).toSorted())
})

describe.each(Object.entries(madeUp))('Adding %s', (row, edits) => {
  test('touches what its row names, and everything that it names is there', () => {
    const places = rows.get(row) as string[]
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
    const strays = edits.filter(({ file }) => !places.some((place) => file === place || file.startsWith(place)))
    expect(strays.map(({ file }) => file)).toEqual([])
  })
})

test('is enough for the compiler', { timeout: 300_000 }, async () => {
  for (const project of ['.', 'console'])
    expect(await run('node_modules/typescript-native/bin/tsc', '--project', project)).toBe('')
})

test('is enough for all that is derived from it', async () => {
  await writeFile(join(house, 'follow.ts'), follow)
  expect(JSON.parse(await run('follow.ts'))).toEqual({
    field: ['GOLD', 'SILVER'],
    fieldInSql: true,
    fieldType: { minimum: 0, maximum: 100 },
    rule: ['must be a trade'],
    resource: [
      '/v1/vehicles',
      '/v1/vehicles/{id}',
      '/v1/vehicles/{id}/history',
      '/v1/vehicles/by/external_ref/{value}',
    ],
    resourceInSql: true,
    operation: 'tea',
    operationBound: true,
    operationSent: true,
    interfaceOperation: 2,
    refusal: true,
    setting: 7,
    settingShown: true,
    job: 'coffee.sweep',
    command: true,
  })
  expect(statementsOf(house).written).toContain('countTokens')
  expect(statementsOf(house).unlisted).toEqual([])
})

const follow = `
import { errorsPage } from '#derive/errors-page.ts'
import { checkRecord } from '#derive/input.ts'
import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { routes } from '#derive/routes.ts'
import { kindOf } from '#registry/fields/index.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { createProgram } from '#server/commands/program.ts'
import { envExample, readConfig } from '#server/config/config.ts'
import { routes as consoleRoutes } from '#server/console-api/routes.ts'
import { startSweeper } from '#server/jobs/sweep.ts'
import { bind } from '#server/pipeline/bind.ts'
import { handlers } from '#server/pipeline/handlers/index.ts'
import { insertRecords } from '#sql/records/insert.ts'

const [clients, trades, vehicles] = ['clients', 'trades', 'vehicles'].map((name) => definitionOf(registry, name))
const author = { companyId: 1, accountId: 1, tokenId: 1, channel: 'api' }
const insertText = (definition) =>
  insertRecords({ author, definition, records: [{ id: 1, by: author, values: {} }] })[0].text
const [all, about] = [routes(registry), { base: 'http://localhost', version: '0' }]
const { paths } = openapi(all, about)
const job = await new Promise((resolve) => {
  const database = { read: async ({ name }) => (name === 'coffee.sweep' && resolve(name), []) }
  startSweeper(database, { callsKeptDays: 1, changesKeptDays: 1, webhookAttemptsKeptDays: 1 }, (_, work) => work())
  setTimeout(resolve, 10_000)
})
const coffee = await consoleRoutes.find(({ path }) => path === '/console/coffee').answer()
const { minimum, maximum } = kindOf(trades.fields.discount_pct).schema(trades.fields.discount_pct)
console.log(JSON.stringify({
  field: clients.fields.loyalty.values,
  fieldInSql: insertText(clients).includes('loyalty'),
  fieldType: { minimum, maximum },
  rule: checkRecord(trades, { name: 'None' }, null, { today: () => '2026-01-01' }).problems.map(({ message }) => message),
  resource: Object.keys(paths).filter((path) => path.includes('vehicles')),
  resourceInSql: insertText(vehicles).includes('insert into vehicles'),
  operation: paths['/v1/tea'].get.operationId,
  operationBound: bind(all, handlers).some(({ route }) => route.id === 'tea'),
  operationSent: JSON.stringify(postman(all, about)).includes('/v1/tea'),
  interfaceOperation: coffee.data.cups,
  refusal: errorsPage().includes('out_of_hours'),
  setting: readConfig({}).coffeeMinutes,
  settingShown: envExample().includes('COFFEE_MINUTES=7'),
  job,
  command: (await createProgram({ terminal: { words: ['coffee'] } })).commands.some((command) => command.name() === 'coffee'),
}))
process.exit()
`

/** What a program of the copy says; nothing, where it has nothing to say. */
async function run(...words: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: house }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return `${stdout}${stderr}`.trim()
}
