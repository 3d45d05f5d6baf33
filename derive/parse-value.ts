import { type Problem, problem } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import {
  dayOrders,
  decimalSigns,
  type Fault,
  type FaultCode,
  type Habits,
  type OpenHabit,
  type Read,
} from '#registry/fields/kind.ts'
import { minorDigits } from '#registry/iso-codes.ts'
import { isObject, isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import { checkValue } from './check-value.ts'

/** Texts of people as values of fields, for forms, files and agents. Decisions, Values. */

/**
 * Parses a text to a value that the field accepts. If a habit is not decided, every choice of it is tried: the text is
 * open if two of them give different values.
 */
export function parseValue(text: string, field: Field, habits: Habits): Read {
  const read = kindOf(field).parse(text, field, habits)
  if ('value' in read && read.value !== null) {
    const { value, problems } = checkValue(field, read.value, '')
    const [problem] = problems
    return problem ? { fault: { code: problem.code, part: text.trim() } } : { value }
  }
  if (!('open' in read)) return read
  const reads = parseOpen(read.open, text, field, habits).map(([, each]) => each)
  const [one, ...others] = reads.filter((each) => 'value' in each)
  if (!one) return reads[0] as Read
  return others.every((other) => isSameJson(one.value, other.value)) ? one : read
}

/** Parses a text by each choice of a habit. */
export const parseOpen = (open: OpenHabit, text: string, field: Field, habits: Habits): [choice: string, Read][] =>
  choicesOf[open].map((choice) => [choice, parseValue(text, field, { ...habits, [open]: choice })])

const choicesOf: { readonly [open in OpenHabit]: readonly string[] } = { decimal: decimalSigns, dayOrder: dayOrders }

/** Returns the problems of texts that their fields would store and their readers refuse, such as one with a control character. */
export const unreadProblems = (
  fields: { readonly [name: string]: Field },
  values: JsonObject,
  habits: Habits,
  path = '',
): Problem[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return field ? unreadAt(field, value, habits, path + name) : []
  })

function unreadAt(field: Field, value: Json, habits: Habits, path: string): Problem[] {
  const members = kindOf(field).members?.(field)
  if (members && Array.isArray(value))
    return value.flatMap((each, n) => (isObject(each) ? unreadProblems(members, each, habits, `${path}[${n}].`) : []))
  if (members && isObject(value)) return unreadProblems(members, value, habits, `${path}.`)
  if (typeof value !== 'string' || checkValue(field, value, path).problems.length > 0) return []
  const read = parseValue(value, field, habits)
  return 'fault' in read ? [problem(path, 'wrong_format', faultMessage(read.fault, field, habits))] : []
}

/** Formats a value as the text that a person would write; an empty text for null. */
export const formatValue = (value: Json, field: Field, habits: Habits): string =>
  value === null ? '' : kindOf(field).format(value, field, habits)

/**
 * Returns whether a text of the stored value is read as the new one: readers compose letters, and drop what nobody sees at
 * the ends. A file that has the stored value then changes nothing.
 */
export function isReadAs(field: Field, stored: Json, value: Json, habits: Habits): boolean {
  if (isSameJson(stored, value)) return true
  const members = kindOf(field).members?.(field)
  if (members && isObject(stored) && isObject(value))
    return Object.entries(members).every(([name, member]) =>
      isReadAs(member, stored[name] ?? null, value[name] ?? null, habits),
    )
  const read = members ? undefined : parseValue(formatValue(stored, field, habits), field, habits)
  return read !== undefined && 'value' in read && isSameJson(read.value, value)
}

/** Returns the sentence about a fault, which ends a sentence that begins with the name of the field. */
export function faultMessage({ code, part }: Fault, field: Field, habits: Habits): string {
  const needed = needs[code]?.(field, habits)
  return needed === undefined ? kindOf(field).must(field) : `cannot be read at ${JSON.stringify(part)}: ${needed}`
}

const needs: { readonly [code in FaultCode]?: (field: Field, habits: Habits) => string } = {
  not_a_number: (_, { decimal }) => `must be a number such as ${decimal === ',' ? '1.234,56' : '1,234.56'}`,
  other_currency: (_, { currency }) => `must be an amount in ${currency}, the currency of the company`,
  too_many_decimals: (_, { currency }) => `must have at most ${minorDigits(currency)} decimals`,
  not_hours: () => 'must be hours such as 7:30 or 7.5',
  not_a_day: () => 'must be a day such as 2026-03-31',
  short_year: () => 'must be a day whose year has four digits',
  has_time: () => 'must be a day without a time',
  no_such_word(field, { labelsOf }) {
    const words = kindOf(field)
      .choice?.(field)
      .values.map((value) => labelsOf?.(value)[0] ?? value)
    return words ? `must be one of ${words.join(', ')}` : 'must be a country, or its code such as GB'
  },
  not_yes_or_no: () => 'must be yes or no',
  not_a_phone: () => 'must be a telephone number such as +44 20 7946 0958',
  not_an_email: () => 'must be one e-mail address such as ada@example.com',
  not_an_address: () => 'must be a web address such as https://example.com',
  not_an_id: () => 'must be the id of a record',
  invisible: () => 'must be text without such a character',
  no_text: () => 'must be sent by its members',
}
