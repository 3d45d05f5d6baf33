import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { valueLabels } from '#derive/labels.ts'
import { formatValue, parseValue } from '#derive/parse-value.ts'
import type { Field } from '#registry/fields/index.ts'
import { dayOrders, decimalSigns, type Habits } from '#registry/fields/kind.ts'
import { currencyWords, decimalSignOf, symbolLanguages } from '#registry/fields/numeral.ts'
import { timeZones } from '#registry/fields/time-zone.ts'
import { countries, currencies } from '#registry/iso-codes.ts'
import { moneyMax } from '#registry/limits.ts'
import { registry } from '#registry/resources/index.ts'
import { catalogues } from '#registry/words/index.ts'
import { fieldAt } from './cells.ts'

/** Laws of the readers and writers of texts, for every value. */

const languages = ['en-GB', 'en-US', 'de', 'fr', 'en-IN']
const habitsIn = (language: string, currency = 'USD'): Habits => ({
  language,
  currency,
  decimal: decimalSignOf(language),
})

const about = 'A field.'
/** The account in Germany with this number of a bank: its check digits are 98 less the remainder with 00. */
const ibanOf = (number: string): string => {
  const digits = (text: string) => BigInt([...text].map((sign) => Number.parseInt(sign, 36)).join(''))
  return `DE${String(98n - (digits(`${number}DE00`) % 97n)).padStart(2, '0')}${number}`
}
const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const hundredths = (max: number) => fc.integer({ min: 1, max: max * 100 }).map((value) => value / 100)
const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter(
    (text) =>
      /^[^\p{C}\p{Z}]/u.test(text) &&
      /[\p{L}\p{N}]$/u.test(text) &&
      !/\p{Cc}|\p{Default_Ignorable_Code_Point}/u.test(text),
  )
  .map((text) => text.normalize('NFC'))

const values: [name: string, field: Field, value: fc.Arbitrary<string | number | boolean>][] = [
  ['amount', { kind: 'money', about }, fc.integer({ min: 0, max: moneyMax })],
  ['integer', { kind: 'integer', min: 0, max: 10_000_000, example: 1, about }, fc.integer({ min: 0, max: 10_000_000 })],
  ['decimal', { kind: 'decimal', min: 0, max: 1e9, places: 2, example: 1, about }, hundredths(1e7)],
  [
    'percent',
    { kind: 'decimal', min: 0, max: 100, places: 4, unit: '%', example: 1, about },
    fc.integer({ min: 0, max: 1e6 }).map((n) => n / 1e4),
  ],
  ['hours', fieldAt('time_entries.hours').field, hundredths(24)],
  ['day', { kind: 'date', example: '2026-03-31', about }, day],
  ['yes or no', { kind: 'flag', about }, fc.boolean()],
  ['country', { kind: 'country', about }, fc.constantFrom(...countries)],
  ['currency', { kind: 'currency', about }, fc.constantFrom(...currencies)],
  ['IBAN', { kind: 'iban', about }, fc.stringMatching(/^[A-Z0-9]{11,30}$/).map(ibanOf)],
  ['time zone', { kind: 'time_zone', about }, fc.constantFrom(...timeZones)],
  ['text', { kind: 'text', max: 500, example: 'a', about }, line],
  ['long text', { kind: 'paragraph', max: 500, example: 'a', about }, line.map((text) => `${text}\n${text}`)],
  [
    'telephone',
    { kind: 'phone', about },
    fc.stringMatching(/^\+\d{2} \(0\) \d{3,6}-\d{2,4}$/).filter((text) => text.length <= 20),
  ],
  ['e-mail', { kind: 'email', about }, fc.emailAddress()],
  ['web address', { kind: 'url', about }, fc.webUrl().filter((text) => text.length <= 500)],
  ['id', { kind: 'reference', to: 'clients', about }, fc.integer({ min: 1, max: 1e9 })],
]

describe.each(languages)('In %s', (language) => {
  test.each(values)('%s: a value that is written is read again', (_, field, value) => {
    fc.assert(
      fc.property(value, fc.constantFrom(...currencies), (one, currency) => {
        const habits = habitsIn(language, currency)
        expect(parseValue(formatValue(one, field, habits), field, habits)).toEqual({ value: one })
      }),
    )
  })

  test('every country is read by its name', () => {
    for (const code of countries) {
      const field: Field = { kind: 'country', about }
      const habits = habitsIn(language)
      expect(parseValue(formatValue(code, field, habits), field, habits)).toEqual({ value: code })
    }
  })

  test('every amount is read with the signs of its currency', () => {
    for (const currency of currencies)
      for (const word of currencyWords(symbolLanguages, currency, language))
        for (const text of [`${word} 1`, `1 ${word}`])
          expect([text, 'value' in parseValue(text, { kind: 'money', about }, habitsIn(language, currency))]).toEqual([
            text,
            true,
          ])
  })
})

test('every choice is read by its label in both languages, and no label is that of two values', () => {
  for (const definition of registry)
    for (const field of Object.values(definition.fields))
      if (field.kind === 'choice')
        for (const value of field.values) {
          const labelsOf = valueLabels(catalogues, definition)
          for (const label of [value, ...labelsOf(value)])
            expect([definition.name, label, parseValue(label, field, { ...habitsIn('de'), labelsOf })]).toEqual([
              definition.name,
              label,
              { value },
            ])
        }
})

const withoutZeros = (digits: string): string => digits.replace(/^0+/, '').replace(/0+$/, '')
const figures = fc.string({ unit: fc.constantFrom(..."0123456789.,'’ -()$€%kMhTx½"), maxLength: 14 })

describe('No accepted text loses a letter or a digit', () => {
  const money: Field = { kind: 'money', about }
  const share: Field = { kind: 'decimal', min: 0, max: 1e9, places: 4, unit: '%', example: 1, about }
  const cases: [string, Field, RegExp][] = [
    ['amount', money, /[$]/g],
    ['share', share, /%/g],
  ]
  test.each(cases)('%s', (_, field, named) => {
    fc.assert(
      fc.property(figures, fc.constantFrom(...decimalSigns, undefined), (text, decimal) => {
        const read = parseValue(text, field, { ...habitsIn('en-GB'), decimal })
        if (!('value' in read) || read.value === null) return
        expect(text.replaceAll(named, '')).toMatch(/^[\d.,'’ ()+-]*$/)
        expect(withoutZeros(text.replaceAll(/\D/g, ''))).toBe(withoutZeros(String(read.value).replace(/\D/g, '')))
      }),
      { numRuns: 3000 },
    )
  })

  test('day', () => {
    const dates: Field = { kind: 'date', example: '2026-03-31', about }
    const part = fc.constantFrom(
      '1',
      '03',
      '31',
      '12',
      '2026',
      '26',
      'Mar',
      'März',
      'mars',
      '00:00',
      '12:00 AM',
      '8:00',
      ' ',
      '.',
      '/',
      '-',
      ', ',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom(...dayOrders, undefined), (parts, dayOrder) => {
        const text = parts.join('')
        const read = parseValue(text, dates, { ...habitsIn('en-GB'), dayOrder })
        if (!('value' in read) || read.value === null) return
        const rest = text.replace(/(00:00|12:00 AM)$/, '').replace(/Mar|März/, ' 3 ')
        const numbers = (from: string) => from.match(/\d+/g)?.map(Number).toSorted()
        expect(rest).toMatch(/^[\d./,\s-]+$/)
        expect(numbers(rest)).toEqual(numbers(String(read.value)))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('Two habits give two values only where one of them is asked for', () => {
  test('the decimal sign', () => {
    const field: Field = { kind: 'decimal', min: 0, max: 1e6, places: 3, example: 1, about }
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,'), maxLength: 8 }), (text) => {
        const [point, comma, open] = ['.', ',', undefined].map((decimal) =>
          parseValue(text, field, { ...habitsIn('en'), decimal } as Habits),
        )
        const decided = [point, comma].flatMap((read) => (read && 'value' in read ? [read.value] : []))
        if (new Set(decided).size > 1) expect(open).toEqual({ open: 'decimal' })
        else if (decided.length > 0) expect(open).toEqual({ value: decided[0] })
        else expect(open).toHaveProperty('fault')
      }),
      { numRuns: 3000 },
    )
  })

  test('the order of days', () => {
    const field: Field = { kind: 'date', example: '2026-03-31', about }
    const part = fc.integer({ min: 1, max: 33 })
    fc.assert(
      fc.property(part, part, fc.constantFrom('/', '-', '.'), (first, second, stroke) => {
        const text = `${first}${stroke}${second}${stroke}2026`
        const [byDay, byMonth, open] = ['day', 'month', undefined].map((dayOrder) =>
          parseValue(text, field, { ...habitsIn('en'), dayOrder } as Habits),
        )
        const decided = [byDay, byMonth].flatMap((read) => (read && 'value' in read ? [read.value] : []))
        if (new Set(decided).size > 1) expect(open).toEqual({ open: 'dayOrder' })
        else if (decided.length > 0) expect(open).toEqual({ value: decided[0] })
        else expect(open).toHaveProperty('fault')
      }),
    )
  })

  test('the language', () => {
    fc.assert(
      fc.property(figures, fc.constantFrom(...languages), fc.constantFrom(...languages), (text, one, other) => {
        const [first, second] = [one, other].map((language) =>
          parseValue(text, { kind: 'money', about }, { ...habitsIn('en'), language }),
        )
        if (first && second && 'value' in first && 'value' in second) expect(first).toEqual(second)
      }),
    )
  })
})
