import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { drawRows, mutants, mutate } from '../../tools/asvs-mutants.ts'
import { asvsIds } from './asvs-ids.ts'

/** The table of ASVS: complete, in few words for a verdict, and each pass shown by tests that carry its id. */
const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const text = read('docs/security/asvs.md')
const rows = [...text.matchAll(/^\| V([\d.]+) \| (\d) \| (.+?) \| (.+?) \| (.+) \|$/gm)].map(
  ([, id, level, asks, verdict, shown]) => ({ id, level, asks, verdict, shown }) as Row,
)
type Row = { id: string; level: string; asks: string; verdict: string; shown: string }

const filesOf = ({ shown }: Row): string[] =>
  [...shown.matchAll(/`([\w./-]+\.[a-z]+)`/g)].map(([, file]) => file as string)
const testsOf = (row: Row): string[] => filesOf(row).filter((file) => file.endsWith('.test.ts'))

/**
 * The ids in the titles of tests, in brackets: a title is the text with which `test(`, `it(` or `describe(` begins, or the
 * call of what `each(…)` made.
 */
const idsIn = (source: string): string[] =>
  [
    ...source.matchAll(
      /(?:\b(?:test|it|describe)(?:\.\w+)*(?:<[^(]*>)?|\))\(\s*(?<quote>['"`])(?<title>(?:(?!\k<quote>)[^\\\n]|\\.)*)\k<quote>,/g,
    ),
  ].flatMap(({ groups }) => [...`${groups?.title}`.matchAll(/\[V(\d+\.\d+\.\d+)\]/g)].map(([, id]) => id as string))

const testFiles = ['registry', 'derive', 'import', 'sql', 'server', 'console', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((file) => file.endsWith('.test.ts') && file !== 'test/house/asvs.test.ts')
const idsByFile = new Map(testFiles.map((file) => [file, new Set(idsIn(read(file)))]))

test('every requirement of levels 1 and 2 has one row, at its level and in order', () => {
  expect(asvsIds['1']).toHaveLength(70)
  expect(asvsIds['2']).toHaveLength(183)
  for (const [level, ids] of Object.entries(asvsIds))
    expect(rows.filter((row) => row.level === level).map(({ id }) => id)).toEqual(ids)
  const order = (id: string): number => id.split('.').reduce((sum, part) => sum * 100 + Number(part), 0)
  expect(rows).toEqual(rows.toSorted((one, other) => order(one.id) - order(other.id)))
})

test('a line of the tables that begins with an id is a row', () => {
  expect(text.match(/^\| V\d/gm)).toHaveLength(rows.length)
})

test.each(rows)('V$id: $verdict', (row) => {
  expect(['pass', 'open', 'operator', 'n/a']).toContain(row.verdict)
  for (const file of filesOf(row)) expect(existsSync(join(root, file)), file).toBe(true)
  // The tests that a pass names are those with its id, and no other row has any.
  const carrying = testFiles.filter((file) => idsByFile.get(file)?.has(row.id))
  if (row.verdict === 'pass') {
    expect(carrying).not.toEqual([])
    expect(testsOf(row).toSorted()).toEqual(carrying.toSorted())
  } else expect(carrying).toEqual([])
  // What an operator has to do is said somewhere for operators.
  if (row.verdict === 'operator') expect(filesOf(row).join(' ')).toContain('docs/security/')
})

test('an id in the title of a test is that of a row', () => {
  const known = new Set(rows.map(({ id }) => id))
  for (const [file, ids] of idsByFile)
    expect(
      [...ids].filter((id) => !known.has(id)),
      file,
    ).toEqual([])
})

test('an id stands in titles and nowhere else in a test, so none is missed', () => {
  for (const [file] of idsByFile) {
    const written = [...read(file).matchAll(/\[V\d+\.\d+\.\d+\]/g)].length
    expect(idsIn(read(file)).length, file).toBe(written)
  }
})

describe('Mutants (npm run asvs-mutants)', () => {
  test('are of the rows that are drawn', () => {
    const passing = rows.filter(({ verdict }) => verdict === 'pass').map(({ id }) => `V${id}`)
    expect(mutants.map(({ row }) => row)).toEqual(drawRows(passing))
  })

  test.each(mutants)('$row: its line stands once in $file, and its test is one that the row names', (mutant) => {
    const whole = read(mutant.file)
    expect(mutate(whole, mutant)).not.toBe(whole)
    expect(mutant.instead.trim()).not.toBe(mutant.line)
    const row = rows.find(({ id }) => `V${id}` === mutant.row)
    expect(row && testsOf(row)).toContain(mutant.test)
  })

  test('a line that is there twice, or no more, is told', () => {
    const mutant = { row: 'V1', test: 't', file: 'f', line: 'b', instead: 'c' }
    expect(mutate('a\n  b\na', mutant)).toBe('a\nc\na')
    for (const whole of ['a', 'b\nb']) expect(() => mutate(whole, mutant)).toThrow(/times the line "b"/)
  })
})

describe('Titles', () => {
  test.each([
    ["test('it holds [V1.2.3] [V4.5.6]', () => {", ['1.2.3', '4.5.6']],
    ['test.each(rows)(`$why [V1.2.3]`, async () => {', ['1.2.3']],
    ["  test.each([\n    ['a', 1],\n  ])('%s [V1.2.3]', () => {", ['1.2.3']],
    ["test.each<[string, number]>([\n  ['a', 1],\n])('it\\'s so [V1.2.3]', () => {", ['1.2.3']],
    ["test.each([\n  [1],\n] as const)('%s [V1.2.3]', () => {", ['1.2.3']],
    ["test.each(rows.filter((one) => one))(\n  '$why [V1.2.3]',\n  () => {", ['1.2.3']],
    ['describe("a [V1.2.3]", () => {', ['1.2.3']],
    ["// a remark [V1.2.3]\nexpect('[V1.2.3]').toBe(1)", []],
  ])('%j', (source, ids) => {
    expect(idsIn(source)).toEqual(ids)
  })
})
