import {
  type Definition,
  isProtected,
  type Problem,
  problem,
  type ReferencedRecords,
  type RuleInput,
  type SumValues,
  type WriteInput,
} from '#registry/definition.ts'
import type { DoubtCode } from '#registry/field-codes.ts'
import { choiceOf, type Field, kindOf } from '#registry/fields/index.ts'
import { isObject, isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { checkFields, checkValue } from './check-value.ts'
import { lockProblems } from './protection.ts'

/**
 * Checks a record before a write, without I/O and for every channel. Collects every problem, and changes nothing
 * except that text is trimmed. Decisions, Bodies.
 */

export type CheckResult = {
  /** The accepted fields as they would be stored. */
  sent: JsonObject
  /** The whole record as it would be. */
  after: JsonObject
  problems: Problem[]
}

/** The records referred to, the problems of references and unique values, and the sums; a form has no sums. */
export type ReferenceResult = { found: ReferencedRecords; missing: readonly Problem[]; sums?: SumValues | undefined }

/**
 * Returns the whole record as it would be, sums included, and all of its problems; of a record without any, its doubts.
 * Used by the service and by forms.
 */
export function checkRecord(
  definition: Definition,
  body: Json,
  before: JsonObject | null,
  { asksDoubts = false, ...write }: Pick<RuleContext, 'today' | 'asChanged'> & { asksDoubts?: boolean },
  leadsTo: (checked: CheckResult) => ReferenceResult = () => ({ found: {}, missing: [] }),
): { record: JsonObject; problems: Problem[]; doubts: Problem<DoubtCode>[] } {
  const checked = checkBody(definition, body, before)
  const { found, missing, sums } = leadsTo(checked)
  const record = withComputed(definition, checked.after, { before, sent: checked.sent, found, sums: sums ?? {} })
  const known = [...checked.problems, ...missing]
  const context = { ...write, found, sums, asSent: checked.after }
  const problems = [...known, ...checkRules(definition, record, before, known, context)]
  const doubts = asksDoubts && problems.length === 0 ? definition.doubts : undefined
  const input = ruleInput(record, before, context)
  return { record, problems, doubts: doubts?.flatMap((doubt) => doubt(input) ?? []) ?? [] }
}

/**
 * All that a record is judged by beside itself. Without `sums` no rule that reads one says anything. `asChanged` are
 * fields that count as changed also where the value is the stored one. `asSent` is the record before its calculated fields.
 */
export type RuleContext = {
  found: ReferencedRecords
  sums?: SumValues | undefined
  today(): string
  asChanged?: readonly string[] | undefined
  asSent?: JsonObject
}

/** Checks a body by itself. `checkRules` checks references, uniqueness and rules. */
export function checkBody(definition: Definition, body: Json, before: JsonObject | null): CheckResult {
  const stored = before ?? createBlankRecord(definition)
  const { accepted, problems } = checkFields(definition.fields, body, { path: '', before })
  return { sent: accepted, after: { ...stored, ...accepted }, problems }
}

/** Returns the value of one field of a body, or null if it is absent or not acceptable. */
export function findAcceptable({ fields }: Definition, body: Json, name: string): Json {
  const sent = isObject(body) && Object.hasOwn(body, name) ? body[name] : null
  const field = fields[name]
  if (sent === null || sent === undefined || !field) return null
  const { value, problems } = checkValue(field, sent, name)
  return problems.length === 0 ? value : null
}

/**
 * Returns the problems of a record as it would be, at most one for each field: first those of the steps of its states, then
 * those of the rules of its resource and of what its status needs. A record of protected history is checked for its locked
 * fields instead of the rules: no write could correct it, and one that was stored under older rules must still take steps.
 * Rules on sums judge it too, because other records put these right.
 * A step is judged on what was sent: a state that is calculated is none.
 */
export function checkRules(
  definition: Definition,
  after: JsonObject,
  before: JsonObject | null,
  known: readonly Problem[],
  context: RuleContext,
): Problem[] {
  const { sums, asSent = after } = context
  const named = new Set(known.map(({ field }) => topField(field)))
  const input = ruleInput(after, before, context, (name) => named.has(name))
  const steps = stepProblems(definition, asSent, before)
  const isLocked = before !== null && isProtected(definition, before)
  const rules = (definition.rules ?? []).filter((rule) => (rule.sums ? sums !== undefined : !isLocked))
  const judged = [
    ...(isLocked ? lockProblems(definition, before, input.isChanged) : []),
    ...rules.flatMap((rule) => rule(input) ?? []),
    ...(isLocked ? [] : neededProblems(definition, after)),
  ]
  return [...steps, ...judged].filter(({ field }) => {
    if (named.has(field)) return false
    named.add(field)
    return true
  })
}

const ruleInput = (
  after: JsonObject,
  before: JsonObject | null,
  { found, sums = {}, today, asChanged = [] }: RuleContext,
  isRefused: RuleInput['isRefused'] = () => false,
): RuleInput => ({
  after,
  before,
  found,
  sums,
  // Few rules read it.
  get today() {
    return today()
  },
  isChanged: (name) => asChanged.includes(name) || !isSameJson(after[name], before?.[name]),
  isRefused,
})

/** Returns the record with the fields that follow from the others. */
export const withComputed = (
  { computed }: Definition,
  record: JsonObject,
  { before = null, sent = {}, found = {}, sums = {} }: Partial<WriteInput> = {},
): JsonObject => ({ ...record, ...computed?.(record, { before, sent, found, sums }) })

/** Returns the names of the fields that follow from others. */
export const calculatedFields = memoize(({ computed, ...definition }: Definition): readonly string[] =>
  Object.keys(computed?.(createBlankRecord(definition), { before: null, sent: {}, found: {}, sums: {} }) ?? {}),
)

/** True if the field follows from another one of the record, so that it is not sent. */
export const isFollowing = ({ follows }: Field, record: JsonObject): boolean =>
  follows !== undefined && (record[follows] ?? null) !== null

/** Returns a record with nothing but initial values. */
export function createBlankRecord(definition: Definition): JsonObject {
  return Object.fromEntries(
    Object.entries(definition.fields).map(([name, field]): [string, Json] => [name, field.initial ?? null]),
  )
}

function stepProblems(definition: Definition, after: JsonObject, before: JsonObject | null): Problem[] {
  if (!before) return []
  return Object.entries(definition.fields).flatMap(([name, field]): Problem[] => {
    const moves = choiceOf(field)?.moves
    if (!moves || before[name] === after[name]) return []
    const next = moves[String(before[name])] ?? []
    if (next.includes(String(after[name]))) return []
    const open = next.length > 0 ? `it can only become ${next.join(' or ')}` : 'it is final'
    const message = `cannot go from ${before[name]} to ${after[name]}; ${open}`
    return [problem(name, 'transition_not_allowed', message)]
  })
}

function neededProblems({ needs, fields }: Definition, after: JsonObject): Problem[] {
  if (!needs?.status.includes(String(after.status))) return []
  return needs.fields.flatMap((name): Problem[] => {
    const value = after[name]
    const isMultiple = fields[name] !== undefined && kindOf(fields[name]).many
    if (isMultiple ? (value as Json[]).length > 0 : value !== null) return []
    const message = `is needed while status is ${String(after.status)}${isMultiple ? ': give at least one' : ''}`
    return [problem(name, 'needed_by_status', message)]
  })
}

/** A problem of `lines[3].quantity` belongs to `lines`. */
const topField = (path: string): string => path.split(/[.[]/, 1)[0] as string
