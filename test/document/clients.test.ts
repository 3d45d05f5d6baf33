import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schemaName } from '#derive/words.ts'
import { servedResources } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/**
 * Clients by generators of the npm registry, made of the served document by the lines of docs/clients.md in a folder of their
 * own, compiled strictly and set on a real server. The calls they make are in `clients/`.
 */

const root = join(import.meta.dirname, '../..')
const modules = join(root, 'node_modules')

let stage: Stage
let company: Company
let folder: string
let page: string
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  await company.create('projects', { name: 'On hold', status: 'ON_HOLD' })
  await company.create('projects', { name: 'Active' })
  folder = await mkdtemp(join(tmpdir(), 'plumbline-clients-'))
  await symlink(modules, join(folder, 'node_modules'))
  await cp(join(import.meta.dirname, 'clients'), folder, {
    recursive: true,
    filter: (path) => !path.endsWith('by-hand'),
  })
  page = await readFile(join(root, 'docs/clients.md'), 'utf8')
  for (const view of ['openapi.json', 'openapi-client.json']) {
    const { text } = await company.call('GET', `/v1/${view}`, { token: null })
    await writeFile(join(folder, view), text)
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict))
  await cp(join(root, 'clients/typescript/src'), join(folder, 'own'), { recursive: true })
  await writeFile(join(folder, 'own-types.ts'), comparison())
  const [, config = ''] = /^```js\n\/\/ orval\.config\.mjs\n(.*?)^```$/ms.exec(page) ?? []
  await writeFile(join(folder, 'orval.config.mjs'), config)
})
afterAll(async () => {
  await stage.close()
  await rm(folder, { recursive: true, force: true })
})

const strict = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'] },
    ...{ strict: true, noUncheckedIndexedAccess: true, outDir: 'out', rootDir: '.', skipLibCheck: true },
    rewriteRelativeImportExtensions: true,
  },
  include: ['*.ts', 'generated'],
}

const run = (program: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [program, ...words], {
    cwd: folder,
    env: { ...process.env, BASE_URL: stage.url, TOKEN: company.token, DO_NOT_TRACK: '1', NO_COLOR: '1' },
  }).catch((failed: { stdout: string; stderr: string }) => Promise.reject(new Error(failed.stdout + failed.stderr)))

/** The commands of the table of the page, and one on the complete document, whose clients can ask for some fields alone. */
function generators(): string[][] {
  const [, table = ''] = /^### From npm\n(.*?)^###/ms.exec(page) ?? []
  const lines = [...table.matchAll(/^\|[^|]*\| `([^`]+)` \|$/gm)].map(([, line = '']) => line)
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['openapi-typescript', 'openapi-ts', 'orval'])
  return [...lines, 'openapi-typescript openapi.json -o generated/complete.ts'].map((line) => line.split(' '))
}

/**
 * Lines that compile only if the document and the package plumbline-client say the same: what the document calls an answer is
 * one for the package, and what the package sends is a request for the document. Answers of the service are held to the document
 * elsewhere, so they fit the package too.
 */
function comparison(): string {
  const fits = (narrow: string, wide: string) => `Fits<${narrow}, ${wide}>`
  const document = (name: string, member?: string) => `S['${name}']${member ? `['${member}']` : ''}`
  const lines = [
    ...servedResources.flatMap((definition) => {
      const { name } = definition
      const typeName = schemaName(definition)
      return [
        fits(document(typeName), `own.${typeName}`),
        fits(`keyof own.${typeName}`, `keyof ${document(typeName)}`),
        ...['Create', 'Update'].flatMap((word) => [
          fits(`own.${typeName}${word}`, document(`${typeName}${word}`)),
          fits(`keyof ${document(`${typeName}${word}`)}`, `keyof own.${typeName}${word}`),
        ]),
        fits(`own.${typeName}Query`, `Queries<'/v1/${name}'>`),
        fits(
          `Exclude<keyof Queries<'/v1/${name}'>, 'limit' | 'offset' | 'after_id' | 'sort'>`,
          `keyof own.${typeName}Query`,
        ),
        ...[
          ['Created', 'CreateResult'],
          ['Updated', 'UpdateResult'],
          ['Upserted', 'UpsertResult'],
        ].map(([word, result]) =>
          fits(`${document(`${typeName}${word}Envelope`, 'data')} & { id: number }`, `own.${result}`),
        ),
        ...['record', 'by', 'records', 'version', 'at', 'write_id', 'removal_id'].map((member) =>
          fits(document(`${typeName}Change`, member), `own.${typeName}Change['${member}']`),
        ),
        fits(`keyof ${document(`${typeName}Change`)}`, `keyof own.${typeName}Change`),
      ]
    }),
    ...[
      ['Deleted', 'DeleteResult'],
      ['Undone', 'UndoResult'],
      ['PlannedChange', 'PreviewChange'],
      ...['Me', 'Choice', 'PageMeta', 'Problem', 'WritePlan', 'RecordGroup', 'KeptGroup', 'UndoConflict'].map(
        (name) => [name, name],
      ),
    ].flatMap(([name = '', type = '']) => [
      fits(`Omit<${document(name)}, Pairs>`, `Omit<own.${type}, Pairs>`),
      fits(`Exclude<keyof ${document(name)}, OfDryRuns>`, `keyof own.${type}`),
    ]),
  ]
  return `import type { components, paths } from './generated/openapi-typescript.ts'
import type * as own from './own/index.ts'
type S = components['schemas']
type Queries<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Loose<Q> : never
type Loose<T> = { [K in keyof T]: T[K] extends (infer I)[] | undefined ? readonly I[] | undefined : T[K] }
// A pair of an old and a new value is a list for the generator, wherever it stands.
type Pairs = 'plan' | 'changes' | 'fields' | 'refused'
type OfDryRuns = 'would_delete' | 'would_keep'
type Fits<Narrow extends Wide, Wide> = [Narrow, Wide]
export type Compared = [
${lines.map((line) => `  ${line},`).join('\n')}
]
`
}

test('Clients are generated, compile strictly, and list, create, fetch, update, preview a delete, do a batch and hear of it', async () => {
  await Promise.all(generators().map(([program = '', ...words]) => run(join(modules, '.bin', program), ...words)))
  await run(join(modules, 'typescript-native/bin/tsc'), '-p', '.')
  for (const calls of ['openapi-fetch', 'hey-api', 'orval', 'orval-axios']) await run(join('out', `${calls}.js`))
  const { body } = await company.get('/v1/projects?q=thirty')
  expect(body.data.map(({ notes }: { notes: string }) => notes)).toEqual(['Seen', 'Seen', 'Seen'])
})
