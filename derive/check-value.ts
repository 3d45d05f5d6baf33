import { Compile } from 'typebox/schema'
import { type Problem, type ProblemCode, problem } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { countStrangers, noField, type Strangers } from '#registry/strangers.ts'
import { checkObject } from './check-object.ts'
import { mayBeNull, mustBeGiven } from './schema.ts'

/** Checks of one value by itself: type, length, members. */

/** Returns the value of `field`, or its problem. Text is trimmed first. */
export const checkValue = (field: Field, sent: Json, path: string): { value: Json; problems: Problem[] } =>
  checkAt(field, sent, { path, before: null, strangers: countStrangers() })

/** The place of a value in a body: its path, the stored value, and the unknown members found so far. */
type ValuePlace = { path: string; before: Json; strangers: Strangers }
/** The place of an object: its path with a dot at the end, and the unknown members, unless it is the whole body. */
type ObjectPlace = { path: string; before: JsonObject | null; strangers?: Strangers }

function checkAt(field: Field, sent: Json, place: ValuePlace): { value: Json; problems: Problem[] } {
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
      : checkFields(members, value, { path: `${path}.`, before: isObject(before) ? before : null, strangers })
    if (inside.problems.length > 0) return { value, problems: inside.problems }
    const full = 'list' in inside ? inside.list : filledIn(members, inside.accepted, before)
    return { value: kind.stored?.(field, full) ?? (kind.stored ? null : full), problems: [] }
  }
  if (kind.refuses?.(field, value)) return refused('wrong_format')
  return { value, problems: [] }
}

/**
 * Checks the length first. A validator that reports every problem would match the pattern against a text that is too
 * long. A character (code point) has one or two units of `length`.
 */
function isTooLong({ maxLength, maxItems }: JsonSchema, value: Json): boolean {
  if (Array.isArray(value)) return typeof maxItems === 'number' && value.length > maxItems
  if (typeof value !== 'string' || typeof maxLength !== 'number' || value.length <= maxLength) return false
  return value.length > 2 * maxLength || [...value].length > maxLength
}

type Members = { readonly [name: string]: Field }

/** Checks the members of an object. `before` is the stored one, if the object changes it. */
export function checkFields(fields: Members, object: Json, { path, before, strangers }: ObjectPlace) {
  return checkObject(
    object,
    {
      members: fields,
      path,
      absent: (field) => (before === null && mustBeGiven(field) ? 'is required' : undefined),
      unknown: () => noField(Object.keys(fields).filter((name) => !fields[name]?.readOnly)),
      check(field, value, at, strangers) {
        if (field.readOnly) return [problem(at, 'read_only', 'is set by the service and cannot be sent')]
        if (value === null) return mayBeNull(field) ? { value } : [problem(at, 'required', 'cannot be null')]
        const stored = before?.[at.slice(path.length)] ?? null
        const checked = checkAt(field, value, { path: at, before: stored, strangers })
        if (checked.problems.length > 0) return checked.problems
        const hidden = typeof checked.value === 'string' ? kindOf(field).hides?.(field, checked.value) : undefined
        return hidden === undefined ? checked : [problem(at, 'invisible', hidden)]
      },
    },
    strangers,
  )
}

function checkList(members: Members, list: Json[], { path, strangers }: ValuePlace) {
  const checked = list.map((item, index) =>
    checkFields(members, item, { path: `${path}[${index}].`, before: null, strangers }),
  )
  return {
    list: checked.map(({ accepted }): Json => filledIn(members, accepted, null)),
    problems: checked.flatMap(({ problems }) => problems),
  }
}

/** Returns every member in order: the sent value, else the stored one, else the initial one. RFC 7396. */
const filledIn = (members: Members, accepted: JsonObject, before: Json): JsonObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, field]): [string, Json] => {
      const was = isObject(before) ? before[name] : field.initial
      return [name, accepted[name] !== undefined ? accepted[name] : (was ?? null)]
    }),
  )

/** The code in a 422, by the keyword of JSON Schema that failed. */
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

/** Returns the compiled checks of a field, cached by the field. */
const checksOf = memoize((field: Field) => {
  const schema = kindOf(field).schema(field)
  return { schema, validator: Compile(schema) }
})
