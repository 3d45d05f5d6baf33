import { memoize } from '../memoize.ts'
import { type DecimalSign, decimalSigns, type Habits } from './kind.ts'
import { spell } from './spelling.ts'

/** Numbers as people write them. */

/** A numeral such as "-1234.5", "" for a dash alone; the habit that is missing; or the part that is no number. */
type WrittenNumber = { numeral: string; affixes: number } | { open: 'decimal' } | { part: string }

/**
 * Parses a number that may have affixes, such as the signs of a currency, as whole words before or after it. Either
 * parentheses or a minus sign make it negative.
 */
export function parseNumber(
  text: string,
  decimal: DecimalSign | undefined,
  affixes: readonly string[] = [],
): WrittenNumber {
  const spelled = spell(text).replaceAll('’', "'")
  const taken = new Set<string>()
  let sign = ''
  let rest = spelled
  for (;;) {
    const affix = affixes.find(
      (one) => !taken.has(one) && (isBefore(rest, one, affixes) || isAfter(rest, one, affixes)),
    )
    const signed = sign === '' && !isDash.test(rest) ? (/^\((.*)\)$/.exec(rest) ?? /^[+-](.*)$/.exec(rest)) : null
    if (affix !== undefined && taken.size < 2) {
      taken.add(affix)
      rest = (isBefore(rest, affix, affixes) ? rest.slice(affix.length) : rest.slice(0, -affix.length)).trim()
    } else if (signed) {
      sign = rest.startsWith('+') ? '+' : '-'
      rest = (signed[1] as string).trim()
    } else break
  }
  if (sign === '' && (spelled === '' || isDash.test(rest))) return { numeral: '', affixes: taken.size }
  if (decimal === undefined && /\d/.test(rest) && /[.,]/.test(rest)) return { open: 'decimal' }
  const numeral = plainNumeral(rest, decimal ?? '.')
  if (numeral !== undefined) return { numeral: sign === '-' ? `-${numeral}` : numeral, affixes: taken.size }
  const words = spelled.match(/[^\d\s.,'()+-]+/gu) ?? []
  return { part: words.find((word) => !affixes.some((affix) => isSame(word, affix))) ?? spelled }
}

const isDash = /^-+$/

const isSame = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase()

/** Returns whether a text begins with a whole word: no letter or symbol follows, unless another affix does. */
function isBefore(text: string, affix: string, affixes: readonly string[]): boolean {
  if (!isSame(text.slice(0, affix.length), affix)) return false
  const rest = text.slice(affix.length)
  return !/^(?!\+)[\p{L}\p{M}\p{S}]/u.test(rest) || affixes.some((one) => rest.startsWith(one))
}

function isAfter(text: string, affix: string, affixes: readonly string[]): boolean {
  if (!isSame(text.slice(-affix.length), affix)) return false
  const rest = text.slice(0, -affix.length)
  return !/[\p{L}\p{M}\p{S}]$/u.test(rest) || affixes.some((one) => rest.endsWith(one))
}

/** Returns "1234.5" for "1,234.5"; undefined if the text is no numeral with this decimal sign. */
function plainNumeral(text: string, decimal: DecimalSign): string | undefined {
  const [whole = '', fraction, ...more] = text.split(decimal)
  const [group, ...others] = new Set(whole.replaceAll(/\d/g, ''))
  if (text === '' || fraction === '' || /\D/.test(fraction ?? '') || more.length > 0 || others.length > 0)
    return undefined
  if (group !== undefined && !areThousands(whole, group)) return undefined
  return (whole.replaceAll(/\D/g, '') || '0') + (fraction === undefined ? '' : `.${fraction}`)
}

/** Returns whether the groups are of three digits, or those of India: 12,34,567. No zero leads. */
function areThousands(whole: string, group: string): boolean {
  const [first = '', ...groups] = whole.split(group)
  if (!".,' ".includes(group) || !/^[1-9]/.test(first) || groups.pop()?.length !== 3) return false
  const areAll = (size: number) => first.length <= size && groups.every(({ length }) => length === size)
  return areAll(3) || (group === ',' && areAll(2))
}

/** Formats a numeral such as "1234.5" with the decimal sign of the habits, or else that of their language. */
export const formatNumeral = (numeral: string, { decimal, language }: Habits): string =>
  numeral.replace('.', decimal ?? signOf(decimalSigns, language))

/** Returns the decimal sign of a language. */
const signOf = memoize((signs: readonly DecimalSign[], language: string): DecimalSign => {
  const part = new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === 'decimal')
  return signs.find((sign) => sign === part?.value) ?? '.'
})

export const decimalSignOf = (language: string): DecimalSign => signOf(decimalSigns, language)

/**
 * Returns the code of a currency and its symbols, the longest first: in the language, and in English outside of the
 * currency's own country, where `US$` tells one dollar from another.
 */
export const currencyWords = memoize((languages: readonly string[], currency: string, language: string): string[] => {
  const symbols = [...languages, language].flatMap((each) =>
    (['symbol', 'narrowSymbol'] as const).flatMap((currencyDisplay) =>
      new Intl.NumberFormat(each, { style: 'currency', currency, currencyDisplay })
        .formatToParts(1)
        .flatMap(({ type, value }) => (type === 'currency' ? [value] : [])),
    ),
  )
  return [...new Set([currency, ...symbols.map(spell)])].toSorted((one, other) => other.length - one.length)
})

export const symbolLanguages: readonly string[] = ['en', 'en-001', 'de']

/** Returns an amount of minor units as a plain numeral in units of the currency, exact at any size. */
export function unitsOf(minor: number, digits: number): string {
  const sign = minor < 0 ? '-' : ''
  const text = String(Math.abs(minor)).padStart(digits + 1, '0')
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
