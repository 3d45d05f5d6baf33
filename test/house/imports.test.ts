import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

/** The rules of `.dependency-cruiser.cjs`, tried by the command of `npm run imports` on files that break them. */

const root = join(import.meta.dirname, '../..')

type Row = { title: string; file: string; text: string; rules: string[] }

const rows: Row[] = [
  {
    title: 'The registry may not import the service.',
    file: 'registry/one.ts',
    text: "import '../server/app.ts'",
    rules: ['registry'],
  },
  {
    title: 'The registry may not import Node.',
    file: 'registry/two.ts',
    text: "import 'node:fs'",
    rules: ['registry'],
  },
  {
    title: 'A path by its alias is judged too.',
    file: 'registry/three.ts',
    text: "import '#server/app.ts'",
    rules: ['registry'],
  },
  {
    title: 'A type is an import, too.',
    file: 'registry/four.ts',
    text: "import type { App } from '#server/app.ts'\nexport type One = App",
    rules: ['registry'],
  },
  {
    title: 'A service may not import the edge.',
    file: 'server/service/one.ts',
    text: "import '../http/api.ts'",
    rules: ['server-service'],
  },
  {
    title: 'A service may not import a package that is not named.',
    file: 'server/service/two.ts',
    text: "import 'pino'",
    rules: ['server-service'],
  },
  {
    title: 'A service may import a package that is named, and the registry.',
    file: 'server/service/three.ts',
    text: "import '@node-rs/argon2'\nimport '#registry/plain.ts'",
    rules: [],
  },
  {
    title: 'The driver stays in the store.',
    file: 'server/commands/one.ts',
    text: "import 'pg'",
    rules: ['driver', 'server-commands'],
  },
  {
    title: 'A module of Node that is named is allowed, and another is not.',
    file: 'server/outbound/one.ts',
    text: "import 'node:net'\nimport 'node:fs'",
    rules: ['server-outbound'],
  },
  {
    title: 'One folder alone sends requests to others.',
    file: 'server/commands/two.ts',
    text: "import { request } from 'node:https'\nimport { lookup } from 'node:dns'",
    rules: ['outbound'],
  },
  {
    title: 'It may, and look up names.',
    file: 'server/outbound/two.ts',
    text: "import 'node:https'\nimport 'node:dns/promises'",
    rules: [],
  },
  {
    title: 'Three files start programs, and no other of their folders.',
    file: 'server/embedded/one.ts',
    text: "import { spawn } from 'node:child_process'",
    rules: ['programs'],
  },
  {
    title: 'Derived things may have types of statements.',
    file: 'derive/one.ts',
    text: "import type { Row } from '#sql/row.ts'\nexport type One = Row",
    rules: [],
  },
  {
    title: 'Derived things may not run statements.',
    file: 'derive/two.ts',
    text: "import '#sql/row.ts'",
    rules: ['derive-sql-types'],
  },
  {
    title: 'Pages may not import the service.',
    file: 'console/one.tsx',
    text: "import '../server/app.ts'",
    rules: ['console'],
  },
  {
    title: 'A proof may not import the product.',
    file: 'proof/one.ts',
    text: "import '../registry/plain.ts'",
    rules: ['proof'],
  },
  {
    title: 'A file may not need a file that needs it.',
    file: 'server/fair/one.ts',
    text: "import './two.ts'",
    rules: ['file-circle'],
  },
  {
    title: 'An import that is not found is refused.',
    file: 'server/fair/three.ts',
    text: "import './nowhere.ts'",
    rules: ['server-fair', 'unresolved'],
  },
]

/** Files that the rows import. The two folders of sql/ need each other by types alone, and `registry` the service. */
const others: { readonly [file: string]: string } = {
  'registry/plain.ts': 'export const plain = 1',
  'server/app.ts': 'export type App = string',
  'server/http/api.ts': 'export const api = 1',
  'server/fair/two.ts': "import './one.ts'",
  'sql/row.ts': 'export type Row = string',
  'sql/citus/one.ts': "import type { Two } from '../system/two.ts'\nexport type One = Two",
  ...Object.fromEntries(
    ['pg', 'pino', '@node-rs/argon2'].flatMap((name) => [
      [`node_modules/${name}/package.json`, `{ "name": "${name}", "version": "1.0.0", "main": "index.js" }`],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),
  'sql/system/two.ts': "import type { One } from '../citus/one.ts'\nexport type Two = One",
}

type Violation = { from: string; rule: { name: string } }
let violations: Violation[]

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-imports-'))
  try {
    for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.cjs'])
      copyFileSync(join(root, name), join(folder, name))
    const files = { ...others, ...Object.fromEntries(rows.map(({ file, text }) => [file, text])) }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), `${text}\n`)
    }
    const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json']
    violations = await new Promise<Violation[]>((resolve, reject) =>
      execFile(
        process.execPath,
        [join(root, 'node_modules/.bin/depcruise'), ...args, '{registry,derive,sql,server,console,proof}'],
        { cwd: folder },
        (error, stdout) => (stdout ? resolve(JSON.parse(stdout).summary.violations) : reject(error)),
      ),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each(rows)('$title', ({ file, rules }) => {
  const broken = violations.filter(({ from, rule }) => from === file && rule.name !== 'folder-circle')
  expect([...new Set(broken.map(({ rule }) => rule.name))].toSorted()).toEqual(rules)
})

test('A folder may not need a folder that needs it, not even for a type.', () => {
  const circles = violations.filter(({ rule }) => rule.name === 'folder-circle').map(({ from }) => from)
  expect(circles.toSorted()).toEqual(['registry', 'server', 'sql/citus', 'sql/system'])
})
