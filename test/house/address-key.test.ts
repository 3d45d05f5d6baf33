import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inLine } from '#derive/format-printable.ts'
import { invisibleIn } from '#registry/invisible.ts'
import { openStage, type Stage } from '../stage/stage.ts'

/** Addresses as the database compares them, and the characters that the service refuses in new ones. */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

describe('The key of an address', () => {
  test('leaves out exactly the characters that a new address must not have.', async () => {
    const rows = await stage.sql<{ code: number }>(
      `select code from generate_series(1, 1114111) code
      where code not between 55296 and 57343 and email_key('a' || chr(code) || 'b') = 'ab'`,
    )
    const dropped = new Set(rows.map(({ code }) => code))
    const all = Array.from({ length: 0x10ffff }, (_, index) => index + 1).filter(
      (code) => code < 0xd800 || code > 0xdfff,
    )
    const differing = all.filter(
      (code) => dropped.has(code) !== (invisibleIn(String.fromCodePoint(code)) !== undefined),
    )
    expect(differing.map((code) => code.toString(16))).toEqual([])
    expect(dropped.size).toBeGreaterThan(4000)
  })

  test.each([
    ['eve@quay.example', 'e\u200bve@quay.example', true],
    ['ada@quay.example', 'ADA@QUAY.EXAMPLE', true],
    ['ju\u0308rgen@quay.example', 'j\u00fcrgen@quay.example', true],
    // The mark and its letter are one only without what stands between them.
    ['ju\u2060\u0308rgen@quay.example', 'j\u00fcrgen@quay.example', true],
    ['ΟΔΟΣ@quay.example', 'οδος@quay.example', true],
    ['ﬁnn@quay.example', 'finn@quay.example', true],
    ['ada@quay.example', 'àda@quay.example', false],
    ['ada@quay.example', 'аda@quay.example', false],
    ['a.da@quay.example', 'ada@quay.example', false],
  ])('of %j and of %j are equal: %s.', async (one, other, expected) => {
    const [row] = await stage.sql<{ same: boolean }>('select email_key($1) = email_key($2) as same', one, other)
    expect(row?.same).toBe(expected)
  })
})

test('A text is shown with its invisible characters as code points.', () => {
  expect(inLine('a\u200bd\u202ea\u0007\u00ad\u{e0041} ü@x.example')).toBe(
    'a⟨U+200B⟩d⟨U+202E⟩a⟨U+0007⟩⟨U+00AD⟩⟨U+E0041⟩ ü@x.example',
  )
})
