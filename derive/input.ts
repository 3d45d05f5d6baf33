import { Compile } from 'typebox/schema'
import type { Definition, Found, Problem, ProblemCode } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '#registry/json.ts'
import { once } from '#registry/once.ts'
import { countStrangers, type Strangers, strangersLeft } from '#registry/strangers.ts'
import { mayBeNull, mustBeGiven } from './schema.ts'

/**
 * The check of a record that somebody wants to write: pure, the same for every channel. It collects every problem and
 * changes nothing but what is said in Decisions, Bodies: text is trimmed.
 */

export type Checked = {
  /** The fields that were sent and are acceptable, as they would be stored. */
  sent: JsonObject
  /** The whole record as it would be. */
  after: JsonObject
  problems: Problem[]
}

/** What the references of a record lead to, and what is wrong with those and with unique values. */
export type LedTo = { found: Found; missing: readonly Problem[] }

/** The whole record as it would be, sums included, and everything that is wrong with it: for the service and for a form. */
export function checkRecord(
  definition: Definition,
  body: Json,
  before: JsonObject | null,
  leadsTo: (checked: Checked) => LedTo = () => ({ found: {}, missing: [] }),
): { record: JsonObject; problems: Problem[] } {
  const checked = checkBody(definition, body, before)
  const { found, missing } = leadsTo(checked)
  const record = { ...checked.after, ...definition.computed?.(checked.after) }
  const known = [...checked.problems, ...missing]
  return { record, problems: [...known, ...checkRules(definition, record, before, found, known)] }
}

/** Checks what a body says by itself. References, uniqueness and rules come after, in `checkRules`. */
export function checkBody(definition: Definition, body: Json, before: JsonObject | null): Checked {
  if (!isObject(body)) {
    const problem: Problem = { field: '', code: 'wrong_type', message: 'The body must be one JSON object' }
    return { sent: {}, after: before ?? blank(definition), problems: [problem] }
  }
  const strangers = countStrangers()
  const { accepted, problems } = checkMembers(definition.fields, body, { path: '', before, strangers })
  const after = { ...(before ?? blank(definition)), ...accepted }
  return { sent: accepted, after, problems: [...problems, ...strangersLeft(strangers)] }
}

/** What a body says of one field, where that is acceptable; else null. */
export function acceptable({ fields }: Definition, body: Json, name: string): Json {
  const sent = isObject(body) && Object.hasOwn(body, name) ? body[name] : null
  const field = fields[name]
  if (sent === null || sent === undefined || !field) return null
  const { value, problems } = checkValue(field, sent, name)
  return problems.length === 0 ? value : null
}

/**
 * Checks the whole record: steps of its states, the rules of its resource, then what its status needs, adding one problem a
 * field at most.
 */
export function checkRules(
  definition: Definition,
  after: JsonObject,
  before: JsonObject | null,
  found: Found,
  known: readonly Problem[],
): Problem[] {
  const named = new Set(known.map(({ field }) => topField(field)))
  const steps = stepProblems(definition, after, before)
  const broken = (definition.rules ?? []).flatMap((rule) => rule(after, before, found) ?? [])
  return [...steps, ...broken, ...neededProblems(definition, after)].filter(({ field }) => {
    if (named.has(field)) return false
    named.add(field)
    return true
  })
}

/** A record with nothing in it but what it starts with. */
export function blank(definition: Definition): JsonObject {
  return Object.fromEntries(
    Object.entries(definition.fields).map(([name, field]): [string, Json] => [name, field.initial ?? null]),
  )
}

/** The value of `field`, or the problem with it. Text is trimmed first. */
export const checkValue = (field: Field, sent: Json, path: string): { value: Json; problems: Problem[] } =>
  checkAt(field, sent, { path, before: null, strangers: countStrangers() })

/** Where in a body a value stands: its path, what the record has there, and the unknown members met so far. */
type Place<Before extends Json = Json> = { path: string; before: Before; strangers: Strangers }

function checkAt(field: Field, sent: Json, place: Place): { value: Json; problems: Problem[] } {
  const { path, before, strangers } = place
  const kind = kindOf(field)
  const value = typeof sent === 'string' ? sent.trim() : sent
  const refused = (code: ProblemCode) => ({ value, problems: [{ field: path, code, message: kind.must(field) }] })

  const { schema, validator } = checksOf(field)
  if (isTooLong(schema, value)) return refused('too_long')
  if (!validator.Check(value)) return refused(codes[validator.Errors(value)[1][0]?.keyword ?? ''] ?? 'wrong_format')

  const members = kind.members?.(field)
  if (members) {
    const inside = kind.many
      ? checkList(members, value as Json[], place)
      : checkMembers(members, value as JsonObject, {
          path: `${path}.`,
          before: isObject(before) ? before : null,
          strangers,
        })
    if (inside.problems.length > 0) return { value, problems: inside.problems }
    const full = 'list' in inside ? inside.list : filledIn(members, inside.accepted, before)
    return { value: kind.stored?.(field, full) ?? (kind.stored ? null : full), problems: [] }
  }
  if (kind.refuses?.(field, value)) return refused('wrong_format')
  return { value, problems: [] }
}

/**
 * Length is decided before anything else looks at a value: a validator goes on to the pattern of a text that is too
 * long, to report every fault at once. A character (code point) has one or two units of `length`.
 */
function isTooLong({ maxLength, maxItems }: JsonSchema, value: Json): boolean {
  if (Array.isArray(value)) return typeof maxItems === 'number' && value.length > maxItems
  if (typeof value !== 'string' || typeof maxLength !== 'number' || value.length <= maxLength) return false
  return value.length > 2 * maxLength || [...value].length > maxLength
}

type Members = { readonly [name: string]: Field }

function checkMembers(fields: Members, body: JsonObject, { path, before, strangers }: Place<JsonObject | null>) {
  const accepted: JsonObject = {}
  const problems: Problem[] = []
  const refuse = (name: string, code: ProblemCode, message: string) =>
    problems.push({ field: path + name, code, message })

  for (const [name, sent] of Object.entries(body)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field) problems.push(...strangers(path + name, () => writable(fields)))
    else if (field.readOnly) refuse(name, 'read_only', 'is set by the service and cannot be sent')
    else if (sent === null && !mayBeNull(field)) refuse(name, 'required', 'cannot be null')
    else if (sent === null) accepted[name] = null
    else {
      const checked = checkAt(field, sent, { path: path + name, before: before?.[name] ?? null, strangers })
      if (checked.problems.length === 0) accepted[name] = checked.value
      else problems.push(...checked.problems)
    }
  }
  if (before === null) {
    for (const [name, field] of Object.entries(fields)) {
      if (mustBeGiven(field) && !Object.hasOwn(body, name)) refuse(name, 'required', 'is required')
    }
  }
  return { accepted, problems }
}

function checkList(members: Members, list: Json[], { path, strangers }: Place) {
  const checked = list.map((item, index) => {
    const at = `${path}[${index}]`
    if (!isObject(item)) {
      return { accepted: {}, problems: [{ field: at, code: 'wrong_type', message: 'must be an object' } as Problem] }
    }
    return checkMembers(members, item, { path: `${at}.`, before: null, strangers })
  })
  return {
    list: checked.map(({ accepted }): Json => filledIn(members, accepted, null)),
    problems: checked.flatMap(({ problems }) => problems),
  }
}

/** Every member in the order of its definition: as sent, else as it was, else as it starts. RFC 7396. */
const filledIn = (members: Members, accepted: JsonObject, before: Json): JsonObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, field]): [string, Json] => {
      const was = isObject(before) ? before[name] : field.initial
      return [name, accepted[name] !== undefined ? accepted[name] : (was ?? null)]
    }),
  )

function stepProblems(definition: Definition, after: JsonObject, before: JsonObject | null): Problem[] {
  if (!before) return []
  return Object.entries(definition.fields).flatMap(([name, field]): Problem[] => {
    if (field.kind !== 'choice' || !field.moves || before[name] === after[name]) return []
    const next = field.moves[String(before[name])] ?? []
    if (next.includes(String(after[name]))) return []
    const open = next.length > 0 ? `it can only become ${next.join(' or ')}` : 'it is final'
    const message = `cannot go from ${before[name]} to ${after[name]}; ${open}`
    return [{ field: name, code: 'transition_not_allowed', message }]
  })
}

function neededProblems({ needs, fields }: Definition, after: JsonObject): Problem[] {
  if (!needs?.status.includes(String(after.status))) return []
  return needs.fields.flatMap((name): Problem[] => {
    const value = after[name]
    const isLookup = fields[name] !== undefined && kindOf(fields[name]).many
    if (isLookup ? (value as Json[]).length > 0 : value !== null) return []
    const message = `is needed while status is ${String(after.status)}${isLookup ? ': give at least one' : ''}`
    return [{ field: name, code: 'needed_by_status', message }]
  })
}

const writable = (fields: Members): string[] => Object.keys(fields).filter((name) => !fields[name]?.readOnly)

/** `lines[3].quantity` is about `lines`. */
const topField = (path: string): string => path.split(/[.[]/, 1)[0] as string

/** What a keyword of JSON Schema that was not met is called in a 422. */
const codes: { readonly [keyword: string]: ProblemCode } = {
  type: 'wrong_type',
  minLength: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  minimum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  maximum: 'out_of_range',
  enum: 'not_allowed',
  pattern: 'wrong_format',
  format: 'wrong_format',
}

/** Compiled once a field: the field is the key, and constant. */
const checksOf = once((field: Field) => {
  const schema = kindOf(field).schema(field)
  return { schema, validator: Compile(schema) }
})
