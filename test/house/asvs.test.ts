import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asvsIds } from './asvs-ids.ts'

/** The table of ASVS: complete, in few words for a verdict, and of files that are there. */
const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docs/security/asvs.md'), 'utf8')
const rows = [...text.matchAll(/^\| V([\d.]+) \| (\d) \| (.+?) \| (.+?) \| (.+) \|$/gm)].map(
  ([, id, level, asks, verdict, shown]) => ({ id, level, asks, verdict, shown }) as Row,
)
type Row = { id: string; level: string; asks: string; verdict: string; shown: string }

const filesOf = ({ shown }: Row): string[] =>
  [...shown.matchAll(/`([\w./-]+\.[a-z]+)`/g)].map(([, file]) => file as string)

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
  if (row.verdict === 'pass') expect(filesOf(row)).not.toEqual([])
  // What an operator has to do is said somewhere for operators.
  if (row.verdict === 'operator') expect(filesOf(row).join(' ')).toContain('docs/security/')
})
