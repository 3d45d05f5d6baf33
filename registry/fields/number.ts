import { currencies, minorDigits } from '../iso-codes.ts'
import type { Json } from '../json.ts'
import { moneyMax } from '../limits.ts'
import { type CommonMembers, type Habits, type Kind, type Read, refuse } from './kind.ts'
import { currencyWords, formatNumeral, parseNumber, symbolLanguages, unitsOf } from './numeral.ts'
import { spell } from './spelling.ts'

const int32Max = 2 ** 31 - 1

/** The unit of a number that a person may write: a share in percent, or hours. */
type Unit = '%' | 'h'

/** A whole number between two bounds, both included. */
type IntegerField = CommonMembers & { kind: 'integer'; min: number; max: number; example: number; unit?: Unit }

/** Parses a number with its unit. */
function parse(text: string, { unit }: { unit?: Unit }, { decimal }: Habits): Read {
  if (unit === 'h') return parseHours(text)
  const read = parseNumber(text, decimal, unit ? [unit] : [])
  if ('part' in read) return refuse('not_a_number', read.part)
  if ('open' in read) return read
  if (read.numeral === '' && read.affixes > 0) return refuse('not_a_number', spell(text))
  return { value: read.numeral === '' ? null : Number(read.numeral) }
}

/** Parses hours: 7:30, 7h30, 7.5 h. They have no thousands, so either sign stands before decimals. */
function parseHours(text: string): Read {
  const spelled = spell(text)
  const [, clock, clockMinutes, letter, letterMinutes = '0'] =
    /^(\d{1,3}):(\d{2})(?: ?h)?$|^(\d{1,3}) ?h ?(\d{2})?$/i.exec(spelled) ?? []
  const hours = clock ?? letter
  if (hours !== undefined) {
    const minutes = Number(clockMinutes ?? letterMinutes)
    // Minutes that are no hundredths of an hour are rounded half up.
    if (minutes < 60) return { value: (Number(hours) * 100 + Math.round((minutes * 100) / 60)) / 100 }
    return refuse('not_hours', spelled)
  }
  if (/^-*$/.test(spelled)) return { value: null }
  const [, numeral = ''] = /^(-?\d*(?:[.,]\d+)?)(?: ?h)?$/i.exec(spelled) ?? []
  if (!/\d/.test(numeral)) return refuse('not_hours', spelled.match(/[^\d\s.,:+-]+/)?.[0] ?? spelled)
  return { value: Number(numeral.replace(',', '.')) }
}

const format = (value: Json, _: unknown, habits: Habits): string => formatNumeral(String(value), habits)

export const integer: Kind<IntegerField> = {
  schema: ({ min, max }) => ({
    type: 'integer',
    format: max > int32Max ? 'int64' : 'int32',
    minimum: min,
    maximum: max,
  }),
  must: ({ min, max }) => `must be a whole number from ${min} to ${max}`,
  column: () => 'integer',
  check: ({ min, max }, column) => `${column} between ${min} and ${max}`,
  parse,
  format,
  example: ({ example }) => example,
  sortable: true,
}

/** An amount in the smallest unit of the company's currency (cents), as a whole number; `above` excludes 0. */
type MoneyField = CommonMembers & { kind: 'money'; above?: true; example?: number }

const leastOf = ({ above }: MoneyField): number => (above ? 1 : 0)

export const money: Kind<MoneyField> = {
  schema: (field) => ({ type: 'integer', format: 'int64', minimum: leastOf(field), maximum: moneyMax }),
  must: (field) => `must be a whole number of minor units (cents) from ${leastOf(field)} to ${moneyMax}`,
  column: () => 'bigint',
  check: (field, column) => `${column} between ${leastOf(field)} and ${moneyMax}`,
  amount: (column) => `${column} > 0`,
  parse(text, _, { currency, language, decimal, isMinor }) {
    const read = parseNumber(text, decimal, isMinor ? [] : currencyWords(symbolLanguages, currency, language))
    if ('open' in read) return read
    if ('part' in read) return refuse(isCurrency(read.part) ? 'other_currency' : 'not_a_number', read.part)
    // Accounting formats show a dash for nothing.
    if (read.numeral === '') return { value: read.affixes > 0 ? 0 : null }
    const digits = isMinor ? 0 : minorDigits(currency)
    const [whole = '', fraction = ''] = read.numeral.split('.')
    if (fraction.length > digits) return refuse('too_many_decimals', fraction)
    return { value: Number(whole + fraction.padEnd(digits, '0')) }
  },
  format: (value, _, habits) =>
    formatNumeral(unitsOf(value as number, habits.isMinor ? 0 : minorDigits(habits.currency)), habits),
  example: ({ example = 1250000 }) => example,
  sortable: true,
}

const isCurrency = (word: string): boolean =>
  !/\d/.test(word) && (/\p{Sc}/u.test(word) || currencies.includes(word.toUpperCase()))

/** A number with up to `places` decimals between two bounds; `above` excludes the lower one. */
type DecimalField = CommonMembers & {
  kind: 'decimal'
  min: number
  max: number
  places: number
  above?: true
  example: number
  unit?: Unit
}

export const decimal: Kind<DecimalField> = {
  schema: ({ min, max, above }) => ({
    type: 'number',
    format: 'double',
    ...(above ? { exclusiveMinimum: min } : { minimum: min }),
    maximum: max,
  }),
  // Only for values that are sent: 1.1 / 0.01 is no whole number to a validator that divides doubles, such as Ajv.
  asked: ({ places }) => ({ multipleOf: Number(`1e-${places}`) }),
  must: ({ min, max, above, places }) =>
    `must be a number ${above ? `above ${min} and up to` : `from ${min} to`} ${max} with at most ${places} decimals`,
  // Without a precision, so that more decimals need no rewrite of the table.
  column: () => 'numeric',
  check: ({ min, max, above }, column) => `${column} ${above ? '>' : '>='} ${min} and ${column} <= ${max}`,
  // JSON has 12.5 and not 12.50.
  shown: (column) => `trim_scale(${column})`,
  refuses: ({ places }, value) => decimalsOf(value as number) > places,
  parse,
  format,
  example: ({ example }) => example,
  sortable: true,
  remark: ({ places }) => `At most ${places} decimals.`,
}

/** Returns the decimals in the shortest spelling of a number: two for 0.25, seven for 1e-7. */
export function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const written = mantissa.split('.')[1]?.length ?? 0
  return Math.max(0, written - Number(exponent))
}
