import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSafePattern } from 'redos-detector'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { openapi } from '#derive/openapi.ts'
import { routes } from '#derive/routes.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import * as time from '#registry/fields/time.ts'
import * as limits from '#registry/limits.ts'
import { registry } from '#registry/resources/index.ts'
import * as tokenForm from '#registry/tokens.ts'

/**
 * A pattern that tries the same characters again and again stops the whole process for as long as its text makes it.
 * So the ways in which a text can be matched are counted for each pattern there is, and have to have a bound that does
 * not grow with the text. All of them, because it is not written on a pattern whose text it will meet one day.
 */
const backtracksMax = 200

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.endsWith('.test.ts') && !/(^|\/)dist/.test(name))
    .map((name) => join(folder, name))

type FoundPattern = { where: string; pattern: string; flags: string }

/** What a pattern is put together from where it is no literal. A locale's separators are single characters. */
const parts: { readonly [name: string]: unknown } = { ...limits, ...time, ...tokenForm, group: '.', decimal: ',' }

function inSource(path: string): FoundPattern[] {
  const text = read(path)
  const { program, errors } = parseSync(path, text)
  expect(errors, path).toEqual([])
  const found: FoundPattern[] = []
  visit(program)
  return found

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    const { type, regex, callee, arguments: given, ...rest } = node as Node
    if (type === 'Literal' && regex) found.push({ where: path, ...regex })
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')
      found.push({ where: path, pattern: evaluated(text.slice(given?.[0]?.start, given?.[0]?.end), path), flags: '' })
    for (const inner of [callee, given, ...Object.values(rest)]) visit(inner)
  }
}

type Node = {
  type?: string
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
  arguments?: { start: number; end: number }[]
}

function evaluated(expression: string, path: string): string {
  try {
    return new Function(...Object.keys(parts), `return ${expression}`)(...Object.values(parts))
  } catch {
    throw new Error(`${path} makes a pattern of ${expression}: put it together from constants that are named here`)
  }
}

function inFields(fields: { readonly [name: string]: Field }, where: string): FoundPattern[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const kind = kindOf(field)
    const { pattern } = kind.schema(field)
    const own = typeof pattern === 'string' ? [{ where: `${where}.${name}`, pattern, flags: 'u' }] : []
    return [...own, ...inFields(kind.members?.(field) ?? {}, `${where}.${name}`)]
  })
}

function inDocument(part: unknown): FoundPattern[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === 'pattern' && typeof value === 'string'
      ? [{ where: 'the OpenAPI document', pattern: value, flags: 'u' }]
      : inDocument(value),
  )
}

/** PostgreSQL's own, after ~ or in a function that takes one. */
const inSql = (path: string): FoundPattern[] =>
  [...read(path).matchAll(/(?:~\*? *|regexp_\w{1,20}\([^'()]{1,80}, *)'([^']*)'/g)].map(([, pattern]) => ({
    where: path,
    pattern: pattern as string,
    flags: '',
  }))

const about = { base: 'http://127.0.0.1:3000', version: '0', errorsPage: 'http://127.0.0.1:3000/errors' }
const all: FoundPattern[] = [
  ...['registry', 'derive', 'import', 'sql', 'server', 'console']
    .flatMap((folder) => filesIn(folder, /\.tsx?$/))
    .flatMap(inSource),
  ...registry.flatMap(({ name, fields }) => inFields(fields, name)),
  ...inDocument(openapi(routes(registry), about)),
  ...[...filesIn('migrations', /\.sql$/), ...filesIn('test/goldens/sql', /./)].flatMap(inSql),
]

const verdict = ({ pattern, flags }: Omit<FoundPattern, 'where'>) =>
  isSafePattern(pattern, {
    maxScore: backtracksMax,
    caseInsensitive: flags.includes('i'),
    unicode: flags.includes('u'),
    dotAll: flags.includes('s'),
    multiLine: flags.includes('m'),
  })

const distinct = [...Map.groupBy(all, ({ pattern, flags }) => `/${pattern}/${flags}`)].map(([written, same]) => ({
  written,
  where: [...new Set(same.map(({ where }) => where))].join(', '),
  first: same[0] as FoundPattern,
}))

test.each(distinct)('$written has a bound on what it tries again ($where) [V15.2.2]', ({ first }) => {
  const { safe, error, score } = verdict(first)
  expect({ safe, error, score }).toMatchObject({ safe: true, error: null, score: { infinite: false } })
})

describe('What counts', () => {
  test.each([
    ['two parts that take the same', '^https?://[^\\s]+\\.[^\\s]+$'],
    ['an end that is looked for from every place', '0+$'],
    ['a repetition within a repetition', '^(a+)+$'],
    ['ways that have no bound, found by going on from every quote', '"[^"]*"'],
  ])('tells %s', (_, pattern) => {
    expect(verdict({ pattern, flags: '' }).safe).toBe(false)
  })

  test('finds literals, patterns put together, those of fields, of the document and of tables [V1.2.9]', () => {
    const from = (start: string) => all.filter(({ where }) => where.startsWith(start)).map(({ pattern }) => pattern)
    expect(from('server/protocol/headers.ts')).toContain('^[!-~]{1,255}$')
    expect(from('server/service/token-text.ts')).toContain('^plumb_live_[0-9a-f]{72}$')
    expect(from('derive/expected-version.ts')).toContain('^[ \\t,]+')
    expect(from('subcontractors.address.country')).toEqual(['^[A-Z]{2}$'])
    expect(from('the OpenAPI')).toContain('^[!-~]+$')
    expect(from('migrations/')).toContain('^[A-Z]{3}$')
    expect(all.length).toBeGreaterThan(100)
  })

  test('a pattern that meets a text of any length stands behind a bound on the length, or has one itself', () => {
    const open = registry
      .flatMap(({ fields }) => Object.values(fields))
      .flatMap((field) => [field, ...Object.values(kindOf(field).members?.(field) ?? {})])
      .map((field) => kindOf(field).schema(field))
      .filter(({ pattern, maxLength }) => typeof pattern === 'string' && maxLength === undefined)
      .map(({ pattern }) => pattern as string)
    // Without +, * or {n,} it looks at as many characters as it names.
    for (const pattern of open) expect(pattern.replaceAll(/\\./g, '')).not.toMatch(/[*+]|\{\d+,\}/)
  })
})
