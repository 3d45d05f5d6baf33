import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registry, servedResources } from '#registry/resources/index.ts'
import { connect } from '../../clients/typescript/src/index.ts'
import { clientTypes } from '../../tools/client-types.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'

/** The package as a program gets it: packed, installed without a network in an empty folder, compiled and run there. */

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const source = join(root, 'clients/typescript')
const examples = join(root, 'examples/consume')

let stage: Stage
let folder: string
beforeAll(async () => {
  stage = await openStage()
  folder = await mkdtemp(join(tmpdir(), 'plumbline-client-'))
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source })
  await writeFile(join(folder, 'package.json'), '{"name":"program","private":true,"type":"module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, stdout.trim())], { cwd: folder })
  await writeFile(join(folder, 'program.ts'), await readFile(join(import.meta.dirname, 'program.ts.txt'), 'utf8'))
  await mkdir(join(folder, 'node_modules/@types'))
  for (const types of ['node', 'pg']) {
    await symlink(join(root, 'node_modules/@types', types), join(folder, 'node_modules/@types', types))
  }
  await symlink(join(root, 'node_modules/pg'), join(folder, 'node_modules/pg'))
  for (const example of ['postgresql.ts', 'sqlite.ts']) await copyFile(join(examples, example), join(folder, example))
})
afterAll(async () => {
  await stage.close()
  await rm(folder, { recursive: true })
})

const options = [
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2022'],
  ...['--module', 'nodenext', '--types', 'node', '--erasableSyntaxOnly', '--verbatimModuleSyntax'],
]

describe('The package plumbline-client', () => {
  test('has the types that the definitions give.', async () => {
    await expect(clientTypes(registry)).toMatchFileSnapshot(join(source, 'src/types.gen.ts'))
  })

  test('has a collection for each resource, none of which is called like another member.', () => {
    const names = servedResources.map(({ name }) => name)
    expect(new Set([...names, ...Object.keys(connect({ baseUrl: stage.url, token: 'x' }))]).size).toBe(
      names.length + others.length,
    )
    expect(names.filter((name) => others.includes(name))).toEqual([])
  })

  test('has no dependency and the version of the product.', async () => {
    const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
    const [own, product] = await Promise.all([read(join(source, 'package.json')), read(join(root, 'package.json'))])
    expect(own.version).toBe(product.version)
    expect(Object.keys(own).filter((name) => /dependencies$/i.test(name))).toEqual([])
  })

  test.each([
    ['5.9', 'typescript/bin/tsc'],
    ['7', 'typescript-native/bin/tsc'],
  ])('compiles a program under TypeScript %s, strict, and finds its mistakes.', async (_, compiler) => {
    const args = [
      join(root, 'node_modules', compiler),
      ...options,
      '--outDir',
      'built',
      'program.ts',
      'postgresql.ts',
      'sqlite.ts',
    ]
    const mistakes = await run(process.execPath, args, { cwd: folder }).then(
      () => '',
      ({ stdout }) => stdout,
    )
    expect(mistakes).toBe('')
  })

  test('runs with this Node.js and, where the machine has another, with that.', async () => {
    const own = await stage.company()
    const env = { PATH: process.env.PATH ?? '', PLUMBLINE_URL: stage.url, PLUMBLINE_TOKEN: own.token }
    for (const node of new Set([process.execPath, 'node'])) {
      const { stdout } = await run(node, ['built/program.js'], { cwd: folder, env })
      expect(stdout).toBe('Quay wall ACTIVE\n')
    }
  })

  test.each(['postgresql.ts', 'sqlite.ts'])('is all that %s needs to keep a copy of a company.', async (example) => {
    const own = await stage.company()
    const { host, port, user, database, password } = stage.connection
    const env = {
      ...{ PATH: process.env.PATH ?? '', PLUMBLINE_URL: stage.url, PLUMBLINE_TOKEN: own.token },
      ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database, PGPASSWORD: password },
    }
    const consume = async () => {
      await untilTold(stage)
      await run(process.execPath, [example, '--once'], { cwd: folder, env })
    }
    const first = await own.create('clients', { name: 'A' })
    await consume()
    await own.create('clients', { name: 'B' })
    await own.call('DELETE', `/v1/clients/${first}`)
    await own.create('projects', { name: 'C' })
    await consume()
    const rows =
      example === 'sqlite.ts'
        ? readCopies(join(folder, 'copy.sqlite'))
        : await stage.sql("select record->>'name' as name from copies order by 1")
    expect(rows).toEqual([{ name: 'B' }, { name: 'C' }])
  })

  test('has at most 20 kB when it is made small.', async () => {
    const built = await build({
      ...{ root: folder, configFile: false, logLevel: 'silent' },
      build: {
        ...{ write: false, minify: true, target: 'es2022' },
        lib: { entry: join(folder, 'node_modules/plumbline-client/dist/index.js'), formats: ['es'] },
      },
    })
    const [{ output }] = built as unknown as [{ output: [{ code: string }] }]
    expect(output[0].code.length).toBeGreaterThan(2000)
    expect(output[0].code.length).toBeLessThan(20_000)
  })
})

function readCopies(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare("select json_extract(record, '$.name') as name from copies order by 1").all()
  database.close()
  return rows.map((row) => ({ ...row }))
}

const others = ['me', 'preview', 'apply', 'undo', 'batch', 'cursor', 'follow', 'consume']
