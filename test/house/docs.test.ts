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
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'bench', 'deploy', 'examples'].flatMap((folder) => filesIn(folder, '.md')),
]
/** The anchors that headings get where the documents are shown. */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
const sources = [
  'registry',
  'derive',
  'import',
  'sql',
  'server',
  'test',
  'bench',
  'migrations',
  'bin',
  'tools',
  'console',
].flatMap((folder) => filesIn(folder, ''))
/** The text on one line, without the marks of its comments. */
const joined = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/|--)?\s*/g, ' ')

/** Headings of decisions that a text cites: "Decisions, Locks and Call log" cites two. */
const citedIn = (text: string): string[] =>
  [...joined(text).matchAll(/\bDecisions((?:,| and) [A-Z][\w-]*(?: (?!and\b)[a-z]+)*)+/g)].flatMap(([all]) =>
    all.split(/, | and /).slice(1),
  )
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

describe.each(documents)('%s', (path) => {
  test('links to what is there, and to headings that are there', () => {
    for (const [, target = '', anchor] of read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const leadsTo = target === '' ? path : join(dirname(path), target)
      expect(existsSync(join(root, leadsTo)), target).toBe(true)
      if (anchor !== undefined) expect(anchorsIn(read(leadsTo)), `${target}#${anchor}`).toContain(anchor)
    }
  })

  test('names scripts, files and codes that exist', () => {
    const text = read(path)
    for (const [, name] of text.matchAll(/npm run ([a-z-]+)/g)) expect(Object.keys(scripts)).toContain(name)
    for (const [, file] of text.matchAll(
      /`((?:registry|derive|import|sql|server|test|bench|migrations|deploy|tools)\/[\w./-]+)`/g,
    )) {
      expect(existsSync(join(root, file as string)), file).toBe(true)
    }
  })
})

test('docs/README.md lists every page of docs/, decisions by their own list', () => {
  const listed = (page: string): string[] =>
    [...read(page).matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, target]) => join(dirname(page), `${target}`))
  const pages = [...listed('docs/README.md'), ...listed('docs/decisions/README.md')]
  const there = filesIn('docs', '.md').filter((path) => path !== 'docs/README.md')
  expect(there.filter((path) => !pages.includes(path))).toEqual([])
  expect(
    documents.filter((path) => !path.startsWith('docs/') && !/^(README|deploy)/.test(path) && !pages.includes(path)),
  ).toEqual([])
})

test('operations lists every setting as it is', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+) \|$/gm)].map(
    ([, name, initial, about]) => [name, initial, about],
  )
  expect(rows).toEqual(
    settings.map(({ name, initial, about }) => [name, initial === '' ? '–' : `\`${initial}\``, about]),
  )
})

test('every decision that the code cites is a page of them, or a section of one', () => {
  const headings = filesIn('docs/decisions', '.md').flatMap((path) =>
    [...read(path).matchAll(/^##? (.+)$/gm)].map(([, heading]) => `${heading}`),
  )
  const cited = [...sources, 'ARCHITECTURE.md']
    .filter((path) => /\.(tsx?|sql|md)$/.test(path) && !path.endsWith('/docs.test.ts'))
    .flatMap((path) => citedIn(read(path)).map((title) => ({ path, title })))
  expect(cited.length).toBeGreaterThan(100)
  expect(cited.filter(({ title }) => !headings.includes(title))).toEqual([])
})

/** Sentences of the specification that a text cites: a section, and the numbers of its sentences if it names some. */
const sentencesIn = (text: string): { section: string; numbers: string[] }[] =>
  [...joined(text).matchAll(/\bSpec, ([A-Z][a-z]+(?: [a-z]+)*)((?: (?:and )?\d+)*)/g)].map(
    ([, section = '', numbers = '']) => ({ section, numbers: numbers.match(/\d+/g) ?? [] }),
  )

test('every sentence of the specification that the code cites is there', () => {
  const sections = new Map(
    read('docs/specification.md')
      .split(/^## /m)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  )
  const cited = sources
    .filter((path) => /\.(tsx?|sql)$/.test(path) && !path.startsWith('test/'))
    .flatMap((path) => sentencesIn(read(path)).map((cite) => ({ path, ...cite })))
  expect(cited.length).toBeGreaterThan(10)
  const lost = cited.filter(
    ({ section, numbers }) =>
      !numbers.every((number) => sections.get(section)?.includes(`\n${number}. `)) || !sections.has(section),
  )
  expect(lost).toEqual([])
})

test('Sentences of the specification are read over the ends of lines.', () => {
  expect(sentencesIn('-- Spec,\n-- Request and response rules 3 and 4. Spec, Headers; Decisions, Bodies.')).toEqual([
    { section: 'Request and response rules', numbers: ['3', '4'] },
    { section: 'Headers', numbers: [] },
  ])
})

test.each([
  [' * Decisions,\n * Conditional requests and Tokens. More.', ['Conditional requests', 'Tokens']],
  ['-- Spec, Calls 2; Decisions, Locks, Foreign\n-- texts', ['Locks', 'Foreign texts']],
  ['/** Decisions, Dry-run: it is rolled back. */', ['Dry-run']],
])('A citation of decisions is read over the ends of lines, with each heading that it names: %j', (text, headings) => {
  expect(citedIn(text)).toEqual(headings)
})

test('the errors page has a section for every code', () => {
  const text = read('docs/errors.md')
  for (const code of Object.keys(refusals)) expect(text).toMatch(new RegExp(`^#+ .*${code}`, 'm'))
})

test('a newcomer is told the command that is run for every change', () => {
  expect(read('README.md')).toContain('npm ci && npm test')
  expect(read('.ci/run')).toMatch(/npm ci.*\n(.*\n)*npm test/)
})

test('CHANGELOG.md begins with the version of package.json, but for what is unreleased, and each has its day', () => {
  const all = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => `${heading}`)
  const headings = all[0] === 'Unreleased' ? all.slice(1) : all
  for (const heading of headings) expect(heading).toMatch(/^\d+\.\d+\.\d+ — \d{4}-\d{2}-\d{2}$/)
  expect(headings[0]).toContain(JSON.parse(read('package.json')).version)
})

test('What the documents of the API say of its changes stands in CHANGELOG.md', () => {
  const text = read('CHANGELOG.md').replaceAll(/\s+/g, ' ')
  for (const { version, lines } of changes) {
    expect(text).toContain(`## ${version}`)
    for (const line of lines) expect(text).toContain(`- ${line}`)
  }
})
