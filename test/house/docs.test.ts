import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changes } from '#registry/changes.ts'
import { refusals } from '#registry/refusals.ts'
import { settings } from '#server/config/config.ts'

/** What the documents say about the program is compared with the program. */
const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .map((name) => join(folder, name))

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...filesIn('docs', '.md'),
  ...filesIn('bench', '.md'),
]
const sources = ['registry', 'derive', 'server', 'test', 'bench', 'migrations', 'bin'].flatMap((folder) =>
  filesIn(folder, ''),
)
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

describe.each(documents)('%s', (path) => {
  test('links to what is there', () => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target as string)
    for (const target of links) expect(existsSync(join(root, dirname(path), target)), target).toBe(true)
  })

  test('names scripts, files and codes that exist', () => {
    const text = read(path)
    for (const [, name] of text.matchAll(/npm run ([a-z-]+)/g)) expect(Object.keys(scripts)).toContain(name)
    for (const [, file] of text.matchAll(/`((?:registry|derive|server|test|bench|migrations)\/[\w./-]+)`/g)) {
      expect(existsSync(join(root, file as string)), file).toBe(true)
    }
  })
})

test('operations lists every setting as it is', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+) \|$/gm)].map(
    ([, name, initial, about]) => [name, initial, about],
  )
  expect(rows).toEqual(
    settings.map(({ name, initial, about }) => [name, initial === '' ? '–' : `\`${initial}\``, about]),
  )
})

test('every decision that the code cites has its page', () => {
  const titles = filesIn('docs/decisions', '.md').map((path) => /^# (.+)$/m.exec(read(path))?.[1])
  const cited = sources
    .filter((path) => /\.(ts|sql)$/.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/Decisions, ([A-Z][A-Za-z-]+(?: [a-z]+)?)/g)].map(([, title]) => `${title}`),
    )
  expect(cited.length).toBeGreaterThan(10)
  for (const title of cited)
    expect(
      titles.some((known) => known !== undefined && title.startsWith(known)),
      title,
    ).toBe(true)
})

test('the errors page has a section for every code', () => {
  const text = read('docs/errors.md')
  for (const code of Object.keys(refusals)) expect(text).toMatch(new RegExp(`^#+ .*${code}`, 'm'))
})

test('a newcomer is told the two commands, and the second is what is run for every change', () => {
  expect(read('README.md')).toContain('npm ci && npm start')
  expect(read('README.md')).toContain('npm ci && npm test')
  expect(read('.ci/run')).toMatch(/npm ci.*\n(.*\n)*npm test/)
})

test('What the documents of the API say of its changes stands in CHANGELOG.md', () => {
  const text = read('CHANGELOG.md').replaceAll(/\s+/g, ' ')
  for (const { version, lines } of changes) {
    expect(text).toContain(`## ${version}`)
    for (const line of lines) expect(text).toContain(`- ${line}`)
  }
})
