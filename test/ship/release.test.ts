import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyOfCheckout } from '../stage/checkout.ts'

/** `npm run release`, in a repository of its own that is a copy of this checkout. */

let folder: string
let checkout: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-release-'))
  checkout = await copyOfCheckout(join(folder, 'checkout'))
  await writeFile(join(checkout, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.2.0 — 2026-01-01\n')
  await writeFile(
    join(checkout, 'registry/changes.ts'),
    "export const changes = [{ version: 'Unreleased', lines: [] }]\n",
  )
  await git('init', '--quiet')
  await git('config', 'user.name', 'Tests')
  await git('config', 'user.email', 'tests@example.com')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'All')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = promisify(execFile)
const git = async (...words: string[]) => (await run('git', words, { cwd: checkout })).stdout
const release = (...words: string[]) =>
  run(process.execPath, ['tools/release.ts', ...words], { cwd: checkout }).then(
    ({ stdout }) => ({ code: 0, out: stdout, err: '' }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  )
const read = (name: string) => readFile(join(checkout, name), 'utf8')

test.for([
  { words: [], says: 'Name one version: npm run release -- 0.3.0.' },
  { words: ['0.3'], says: '0.3 is no version: name one like 0.3.0.' },
  { words: ['0.2.0'], says: '0.2.0 does not come after 0.2.0, the present version.' },
  { words: ['0.1.9'], says: '0.1.9 does not come after 0.2.0, the present version.' },
])('A release of $words is refused: $says', async ({ words, says }) => {
  expect(await release(...words)).toEqual({ code: 1, out: '', err: `${says}\n` })
})

test('A checkout with changes is refused.', async () => {
  await writeFile(join(checkout, 'new.txt'), 'new')
  expect(await release('0.3.0')).toMatchObject({
    code: 1,
    err: expect.stringContaining('commit them, or put them away'),
  })
  await rm(join(checkout, 'new.txt'))
})

test('--dry-run prints the steps and does nothing.', async () => {
  const { code, out } = await release('0.3.0', '--dry-run')
  expect(code).toBe(0)
  expect(out).toMatch(
    /package\.json(.*\n)+.*CHANGELOG\.md(.*\n)+.*sbom(.*\n)+.*tag v0\.3\.0(.*\n)+.*snapshot(.*\n)+Nothing was done\.\n$/,
  )
  expect(await git('status', '--porcelain')).toBe('')
})

test('It packs the raw figures that a page names by their SHA-256, and says which are missing.', async () => {
  await mkdir(join(checkout, 'data/figures'), { recursive: true })
  const figures = '{"rate": 1}\n'
  await writeFile(join(checkout, 'data/figures/named.json'), figures)
  await writeFile(join(checkout, 'data/figures/other.json'), '{}\n')
  const gone = 'a'.repeat(64)
  await writeFile(join(checkout, 'docs/figures.md'), `\`${hash('sha256', figures)}\` and \`${gone}\`\n`)
  const program = `
    const { listSteps } = await import('./tools/release.ts')
    for (const { says, run } of listSteps('0.3.0', '2026-12-01')) if (says.startsWith('Pack')) run()`
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'Figures')
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: checkout })
  expect(stdout).toContain(gone)
  const { stdout: packed } = await run('tar', ['-tzf', 'plumbline-figures.tar.gz'], { cwd: checkout })
  expect(packed.trim()).toBe('named.json')
})

test('Its first steps write the version everywhere, and the heading of the changelog with the day.', async () => {
  const program = `
    const { listSteps } = await import('./tools/release.ts')
    for (const { run } of listSteps('0.3.0', '2026-12-01').slice(0, 2)) run()`
  await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: checkout })
  for (const name of ['package.json', 'package-lock.json', 'clients/typescript/package.json'])
    expect(JSON.parse(await read(name)).version, name).toBe('0.3.0')
  expect(await read('deploy/compose.yaml')).toContain('image: plumbline:0.3.0')
  expect(await read('registry/changes.ts')).toContain("version: '0.3.0'")
  expect(await read('CHANGELOG.md')).toMatch(/^# Changelog\n\n## 0\.3\.0 — 2026-12-01\n\n- New\./)
  expect((await git('diff', '--name-only')).trim().split('\n').sort()).toEqual([
    'CHANGELOG.md',
    'clients/typescript/package.json',
    'deploy/compose.yaml',
    'package-lock.json',
    'package.json',
    'registry/changes.ts',
  ])
})
