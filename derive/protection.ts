import { alwaysOpen } from '#registry/common.ts'
import { type Definition, isProtected, type Problem, problem } from '#registry/definition.ts'
import { choiceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { aOne, capital, inCode, series, withWords } from './words.ts'

/** What protected history still takes: for the check of a write, for forms and for the documents. */

/**
 * Whether a write leads a record into protected history. `fields` are those of a planned change, each with its old and its
 * new value; without them that is assumed.
 */
export function entersProtection({ protection }: Definition, fields: JsonObject | undefined): boolean {
  if (!protection) return false
  if (!fields) return true
  return Object.entries(protection.when).some(([column, values]) => {
    const change = fields[column]
    return Array.isArray(change) && values.includes(change[1] as string | boolean)
  })
}

/** The fields that can no longer change in a record as it is; those of the state itself go along their steps. */
export function lockedFields(definition: Definition, record: JsonObject): string[] {
  if (!isProtected(definition, record)) return []
  const open = [...alwaysOpen, ...Object.keys(definition.protection?.when ?? {})]
  return Object.keys(definition.fields).filter((name) => !definition.fields[name]?.readOnly && !open.includes(name))
}

/** What a write changes of a record that was protected before it. */
export function lockProblems(
  definition: Definition,
  before: JsonObject,
  isChanged: (field: string) => boolean,
): Problem[] {
  const state = Object.keys(definition.protection?.when ?? {}).map((column) => `${column} is ${before[column]}`)
  const open = openFields(definition, before)
  const message = [
    `cannot change while ${series(state)}`,
    open.length > 0 ? `only ${series(open)} can` : 'nothing of it can',
    `to put a mistake right, ${correctionOf(definition, before)}`,
  ].join('; ')
  return lockedFields(definition, before)
    .filter(isChanged)
    .map((field) => problem(field, 'locked', message))
}

/** Returns the state that protects a record; undefined if none does. */
export const protectedState = ({ protection }: Definition, record: JsonObject): string | undefined => {
  const [column] = Object.keys(protection?.when ?? {})
  return column === undefined ? undefined : String(record[column])
}

/** Returns how a record in protected history is put right, as the end of a sentence. */
function correctionOf(definition: Definition, record: JsonObject): string {
  const correct = definition.protection?.correct ?? ''
  return typeof correct === 'string' ? correct : (correct[protectedState(definition, record) ?? ''] ?? '')
}

/** The same as sentences of the documents; none where a record is never protected. */
export function protectionWords(definition: Definition): string[] {
  const { protection, fields } = definition
  if (!protection) return []
  const open = alwaysOpen.filter((name) => name in fields)
  const rest = open.length > 0 ? `only ${inCode(open)} and what its state allows` : 'only what its state allows'
  const opening = `${capital(aOne(definition))} ${withWords(protection.when)} is protected history`
  return [
    `${opening}: ${rest} can change, anything else is refused with \`locked\`. To put a mistake right, ${withStates(protection.correct)}.`,
  ]
}

const withStates = (correct: string | { readonly [state: string]: string }): string =>
  typeof correct === 'string' ? correct : series(Object.entries(correct).map(([state, how]) => `in ${state} ${how}`))

/** What can still change: what is always open, and the columns of the state from which a step leads on. */
function openFields({ fields, protection }: Definition, record: JsonObject): string[] {
  const steps = Object.keys(protection?.when ?? {}).filter((column) => {
    const choice = choiceOf(fields[column])
    return !choice || (choice.moves?.[String(record[column])] ?? []).length > 0
  })
  return [...steps, ...alwaysOpen.filter((name) => name in fields)]
}
