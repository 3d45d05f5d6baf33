import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { equalKey, greekAndCyrillic, letterTable } from '#registry/equal.ts'
import { openStage, type Stage } from '../stage/stage.ts'

/** Unique values as the indexes compare them, and as the locks do. */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const codes = Array.from({ length: 0x10ffff }, (_, index) => index + 1).filter((code) => code < 0xd800 || code > 0xdfff)

describe('The key of a text is the same for the index and for the lock', () => {
  const rows: { why: string; around: [before: string, after: string]; most: number }[] = [
    { why: 'each character', around: ['', ''], most: 0x10ffff },
    { why: 'each letter between letters and marks', around: ['Aσ', '\u0307\u0323Z'], most: 0x2fff },
  ]
  test.each(rows)('$why', async ({ around: [before, after], most }) => {
    const texts = codes.filter((code) => code <= most).map((code) => before + String.fromCodePoint(code) + after)
    // A mark that the version of Unicode of the database does not know has no place among others.
    const differing = await stage.sql<{ code: number }>(
      `select ascii(substr(text, $3, 1)) as code from unnest($1::text[], $2::text[]) one (text, key)
      where equal_key(text) <> key and unicode_assigned(text)`,
      texts,
      texts.map(equalKey),
      [...before].length + 1,
    )
    expect(differing).toEqual([])
  })
})

// The indexes of databases that exist have the results of this table: another one needs a migration of its own.
test('The table of letters is the one that migration 0051 has put into databases.', () => {
  expect(hash('sha256', JSON.stringify([letterTable, greekAndCyrillic]))).toBe(
    'fa0238f43c539a1a5499c40f59e1152f017f5183113b80bcef2c6555a8bf2606',
  )
})

describe('Texts are equal as people see them', () => {
  const rows: [one: string, other: string, isEqual: boolean][] = [
    ['CRM-31207', 'crm-31207', true],
    ['ΟΔΟΣ-1', 'οδος-1', true],
    ['ΟΔΌΣ', 'οδός', true],
    ['ΪΌΝΙΟ', 'ϊόνιο', true],
    ['Mu\u0308ller', 'MÜLLER', true],
    ['STRAẞE', 'straße', true],
    ['Łódź', 'ŁÓDŹ', true],
    ['ЁЛКА-Й', 'ёлка-й', true],
    ['İZMİR', 'izmir', true],
    ['ǰ', 'J\u030c', true],
    ['Å', '\u212b', true],
    ['ꭰ', 'Ꭰ', true],
    ['𐐀', '𐐨', true],
    ['müller', 'muller', false],
    ['straße', 'strasse', false],
    ['ﬁ', 'fi', false],
    ['а', 'a', false],
    ['A 1', 'A  1', false],
    ['ı', 'i', false],
  ]
  test.each(rows)('%j and %j: %s.', async (one, other, isEqual) => {
    expect(equalKey(one) === equalKey(other)).toBe(isEqual)
    const [row] = await stage.sql<{ same: boolean }>('select equal_key($1) = equal_key($2) as same', one, other)
    expect(row?.same).toBe(isEqual)
  })
})

test.each(['C', 'pg_c_utf8', 'unicode'])(
  'The key does not depend on the locale: in %s it is as in any.',
  async (collation) => {
    const [row] = await stage.sql<{ key: string }>(`select equal_key('ΟΔΌΣ É İ' collate "${collation}") as key`)
    expect(row?.key).toBe('οδόσ é i')
  },
)
