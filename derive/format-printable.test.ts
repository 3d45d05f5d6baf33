import { describe, expect, test } from 'vitest'
import { formatPrintable, inLine, printableJson, spellText } from './format-printable.ts'

describe('Characters that hide, turn or control are shown as their code points', () => {
  test.each([
    ['Quay \u202egnp.exe', 'Quay ⟨U+202E⟩gnp.exe'],
    ['\u200b\u2060\u00ad', '⟨U+200B⟩⟨U+2060⟩⟨U+00AD⟩'],
    ['Har\u200bbor\ufeff', 'Har⟨U+200B⟩bor⟨U+FEFF⟩'],
    ['\u001b[31mred\u0007\u009b0m\u007f', '⟨U+001B⟩[31mred⟨U+0007⟩⟨U+009B⟩0m⟨U+007F⟩'],
    ['\u2066a\u2069\u061c', '⟨U+2066⟩a⟨U+2069⟩⟨U+061C⟩'],
    ['\u3164\u2800\u115f\uffa0', '⟨U+3164⟩⟨U+2800⟩⟨U+115F⟩⟨U+FFA0⟩'],
    ['a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['a\u2028b\u2029', 'a⟨U+2028⟩b⟨U+2029⟩'],
    ['\ud800x', '⟨U+D800⟩x'],
    ['1\ufe0f Qu\u200cay', '1⟨U+FE0F⟩ Qu⟨U+200C⟩ay'],
  ])('%j', (text, spelled) => expect(formatPrintable(text)).toBe(spelled))

  test.each([
    ['letters that are joined', 'می\u200cخواهم', 'क्\u200dष'],
    ['pictographs', '👨\u200d👩\u200d👧 ❤\ufe0f 👍🏽 1\ufe0f\u20e3', '🏳\ufe0f\u200d🌈'],
    ['variants of ideographs', '葛\u{e0100}'],
    ['accents, tone marks and other letters', 'Việt Ngữ né e\u0301', 'שָׁלוֹם', 'ไม้'],
  ])('but not where they belong: %s', (_, ...texts) => {
    for (const text of texts) expect(formatPrintable(text)).toBe(text)
  })
})

test('More marks than four on a letter are code points, so that they reach into no other line', () => {
  const marks = '\u0300\u0301\u0302\u0303'
  expect(formatPrintable(`Z${marks}\u0304\u0305algo`)).toBe(`Z${marks}⟨U+0304⟩⟨U+0305⟩algo`)
})

test('A text is never empty to the eye: blanks alone are code points, and a mark at the beginning stands on a circle', () => {
  expect(spellText(' \u00a0').text).toBe('⟨U+0020⟩⟨U+00A0⟩')
  expect(spellText('\u0338gone').text).toBe('\u25cc\u0338gone')
  expect(inLine('\t\n')).toBe('⟨U+0020⟩⟨U+0020⟩')
  expect(spellText('')).toEqual({ text: '', length: 0, isCut: false })
})

test('A long text is cut after whole characters, with the length of all of it', () => {
  expect(spellText('🧱'.repeat(10), 3)).toEqual({ text: '🧱🧱🧱', length: 10, isCut: true })
  expect(spellText('abc', 3)).toEqual({ text: 'abc', length: 3, isCut: false })
})

test('JSON with escapes means the same', () => {
  for (const text of ['a\u202eb', 'x\u{e0041}\u200b', '❤\ufe0f', '"\\u202e"', '\u2028'])
    expect(JSON.parse(printableJson(JSON.stringify({ text })))).toEqual({ text })
  expect(printableJson('"\u{e0041}"')).toBe('"\\udb40\\udc41"')
})
