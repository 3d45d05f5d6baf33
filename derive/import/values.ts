import type { Problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { countries, minorDigits } from '#registry/iso-codes.ts'
import type { Json } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { checkValue } from '../check-value.ts'

/** Parses a cell as a person wrote it into a value of the field. */

export const dateOrders = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof dateOrders)[number]
export const decimalSigns = ['comma', 'point'] as const
export type DecimalSign = (typeof decimalSigns)[number]

/** Formats of the file, and the currency of the company with its signs and decimals. */
export type Habits = {
  dates: DateOrder
  decimal: DecimalSign
  currency: string
  signs: readonly string[]
  digits: number
}

export const habitsOf = (said: Pick<Habits, 'dates' | 'decimal' | 'currency'>): Habits => ({
  ...said,
  signs: signsOf(said.currency),
  digits: minorDigits(said.currency),
})

export type CellCode =
  | Problem['code']
  | 'not_a_number'
  | 'other_currency'
  | 'not_a_day'
  | 'no_such_word'
  | 'not_yes_or_no'

/** A value, or why a cell is not acceptable. */
export type CellRead = { value: Json } | { problem: { code: CellCode; message: string } }

export type CellOf = {
  field: Field
  path: string
  /** True if the column has values as programs write them: ids, and amounts in minor units. */
  exact: boolean
  habits: Habits
  /** Returns the labels of a choice's value in the interface. */
  wordsFor: (value: string) => readonly string[]
}

/** Returns a value without problems; of a reference the id, if the column has ids. */
export function readCell(text: string, cell: CellOf): CellRead {
  const read = readers[cell.field.kind]?.(text, cell) ?? { value: removeApostrophe(text) }
  if ('problem' in read) return read
  const { value, problems } = checkValue(cell.field, read.value, cell.path)
  const [problem] = problems
  return problem ? { problem: { code: problem.code, message: problem.message } } : { value }
}

const refuseCell = (code: CellCode, message: string): CellRead => ({ problem: { code, message } })

type Reader = (text: string, cell: CellOf) => CellRead

const readers: { readonly [kind in Field['kind']]?: Reader } = {
  integer: readNumber,
  decimal: readNumber,
  money: readMoney,
  date: readDate,
  choice: readChoice,
  flag: readFlag,
  country: readCountry,
  reference: (text) => ({ value: /^\d{1,15}$/.test(text) ? Number(text) : text }),
}

function readNumber(text: string, { habits }: CellOf): CellRead {
  const plain = numeral(text.endsWith('%') ? text.slice(0, -1) : text, habits.decimal)
  return plain === undefined ? notANumber(habits.decimal) : { value: Number(plain) }
}

function readMoney(text: string, cell: CellOf): CellRead {
  if (cell.exact) return readNumber(text, cell)
  const { currency, decimal, signs, digits } = cell.habits
  const sign = text.replaceAll(/[\d\s.,'’+-]/g, '')
  if (/^(\p{Sc}|[A-Za-z]{3})$/u.test(sign) && !signs.includes(sign.toUpperCase()))
    return refuseCell('other_currency', `must be an amount in ${currency}, the currency of the company`)
  const plain = numeral(sign === '' ? text : text.replace(sign, ''), decimal)
  const [whole, fraction = ''] = plain?.split('.') ?? []
  if (whole === undefined) return notANumber(decimal)
  if (fraction.length > digits) return refuseCell('wrong_format', `must have at most ${digits} decimals`)
  return { value: Number(whole + fraction.padEnd(digits, '0')) }
}

/** Returns the signs of a currency. */
const signsOf = (currency: string): string[] => [
  currency,
  ...(['symbol', 'narrowSymbol'] as const).map(
    (currencyDisplay) =>
      new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
        .formatToParts(1)
        .find(({ type }) => type === 'currency')?.value ?? currency,
  ),
]

const notANumber = (decimal: DecimalSign): CellRead =>
  refuseCell('not_a_number', `must be a number such as ${decimal === 'comma' ? '1.234,56' : '1,234.56'}`)

/** Returns a plain numeral, such as "1234.5". The other sign, blanks or an apostrophe may separate thousands. */
function numeral(text: string, sign: DecimalSign): string | undefined {
  const [decimal, group] = sign === 'comma' ? [',', '.'] : ['.', ',']
  const close = text.trim().replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const grouped = new RegExp(`^[+-]?\\d{1,3}(\\${group}\\d{3})+(\\${decimal}\\d+)?$`)
  const plain = (grouped.test(close) ? close.replaceAll(group, '') : close).replace(decimal, '.').replace(/^\+/, '')
  return /^-?\d+(\.\d+)?$/.test(plain) ? plain : undefined
}

/** Parses a day, with a time of midnight or without. The ISO form is always accepted. */
function readDate(text: string, { habits: { dates } }: CellOf): CellRead {
  const day = text.replace(/[T ]0{1,2}:00(:00(\.0{1,9})?)?Z?$/, '')
  const iso = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})$/.exec(day)
  const other = dates === 'ymd' ? null : /^(\d{1,2})[-./](\d{1,2})[-./](\d{4})$/.exec(day)
  if (iso) return { value: dayOf(iso[1], iso[2], iso[3]) }
  if (!other) return refuseCell('not_a_day', `must be a day such as ${samples[dates]}`)
  const [, first, second, year] = other
  return { value: dates === 'dmy' ? dayOf(year, second, first) : dayOf(year, first, second) }
}

const dayOf = (year = '', month = '', day = ''): string => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
const samples: { readonly [order in DateOrder]: string } = { dmy: '31.03.2026', mdy: '03/31/2026', ymd: '2026-03-31' }

function readChoice(text: string, { field, wordsFor }: CellOf): CellRead {
  const values = field.kind === 'choice' ? field.values : []
  const wanted = normalizeText(text)
  const value = values.find((one) =>
    [one, one.replaceAll('_', ' '), ...wordsFor(one)].some((word) => normalizeText(word) === wanted),
  )
  if (value !== undefined) return { value }
  const known = values.map((one) => wordsFor(one)[0] ?? one)
  return refuseCell('no_such_word', `must be one of ${known.join(', ')}`)
}

function readFlag(text: string): CellRead {
  const wanted = normalizeText(text)
  if (yes.includes(wanted)) return { value: true }
  if (no.includes(wanted)) return { value: false }
  return refuseCell('not_yes_or_no', 'must be yes or no')
}

const yes: readonly string[] = ['true', 'yes', 'y', 'ja', 'j', 'wahr', '1', 'x']
const no: readonly string[] = ['false', 'no', 'n', 'nein', 'falsch', '0']

function readCountry(text: string): CellRead {
  if (/^[A-Za-z]{2}$/.test(text)) return { value: text.toUpperCase() }
  const code = codesOf(countries).get(normalizeText(text))
  return code === undefined ? refuseCell('no_such_word', 'must be a country, or its code such as GB') : { value: code }
}

/** Country codes by their names in the languages of the interface. */
const codesOf = memoize(
  (codes: readonly string[]): ReadonlyMap<string, string> =>
    new Map(
      ['en', 'de'].flatMap((language) => {
        const names = new Intl.DisplayNames(language, { type: 'region' })
        return codes.map((code) => [normalizeText(names.of(code) ?? code), code] as const)
      }),
    ),
)

const normalizeText = (text: string): string => text.trim().toLowerCase()

/** Removes the apostrophe by which an export keeps a text from being a formula. */
const removeApostrophe = (text: string): string => (/^'[\s"]*[=+\-@＝＋－＠]/.test(text) ? text.slice(1) : text)
