import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/**
 * Clients by generators of the npm registry, made of the served document in a folder of their own, compiled strictly and
 * set on a real server. The calls they make are in `clients/`.
 */

const root = join(import.meta.dirname, '../..')
const modules = join(root, 'node_modules')

let stage: Stage
let company: Company
let folder: string
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  await company.create('projects', { name: 'On hold', status: 'ON_HOLD' })
  await company.create('projects', { name: 'Active' })
  folder = await mkdtemp(join(tmpdir(), 'plumbline-clients-'))
  await symlink(modules, join(folder, 'node_modules'))
  await cp(join(import.meta.dirname, 'clients'), folder, { recursive: true })
  const document = await company.call('GET', '/v1/openapi.json', { token: null })
  await writeFile(join(folder, 'openapi.json'), document.text)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict))
  await writeFile(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(orval)}`)
})
afterAll(async () => {
  await stage.close()
  await rm(folder, { recursive: true, force: true })
})

const strict = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'] },
    ...{ strict: true, noUncheckedIndexedAccess: true, outDir: 'out', rootDir: '.', skipLibCheck: true },
  },
  include: ['*.ts', 'generated'],
}

const orval = {
  api: {
    input: './openapi.json',
    output: { target: './generated/orval.ts', client: 'fetch', baseUrl: { runtime: 'process.env.BASE_URL' } },
  },
  zod: { input: './openapi.json', output: { target: './generated/orval-zod.ts', client: 'zod' } },
}

const run = (program: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [program, ...words], {
    cwd: folder,
    env: { ...process.env, BASE_URL: stage.url, TOKEN: company.token, DO_NOT_TRACK: '1', NO_COLOR: '1' },
  }).catch((failed: { stdout: string; stderr: string }) => Promise.reject(new Error(failed.stdout + failed.stderr)))

const generators: readonly (readonly string[])[] = [
  ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'generated/openapi-typescript.ts'],
  [
    ...['@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'generated/hey-api'],
    ...['-c', '@hey-api/client-fetch', '--no-log-file'],
  ],
  ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
]

test('Clients are generated, compile strictly, and list, create, fetch, update and preview a delete', async () => {
  await Promise.all(generators.map(([program = '', ...words]) => run(join(modules, program), ...words)))
  await run(join(modules, 'typescript-native/bin/tsc'), '-p', '.')
  for (const calls of ['openapi-fetch', 'hey-api', 'orval']) await run(join('out', `${calls}.js`))
  const { body } = await company.get('/v1/projects?q=thirty')
  expect(body.data.map(({ notes }: { notes: string }) => notes)).toEqual(['Seen', 'Seen', 'Seen'])
})
