import { type Problem, problem } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { countStrangers, type Strangers } from '#registry/strangers.ts'

/** The members that an object may have, and the demands on each. */
export type ObjectRules<Member> = {
  members: { readonly [name: string]: Member }
  /** Returns the message for an absent member, or undefined if it may be absent. */
  absent(member: Member): string | undefined
  /** Returns the problems of a sent value, or the value as it is accepted. */
  check(member: Member, value: Json, path: string, strangers: Strangers): Problem[] | { value: Json }
  /** Returns the message for an unknown member. */
  unknown(): string
  /** The path of the object with a dot at its end; absent for the whole body. */
  path?: string
  /** What the whole body is, if it is not called that. */
  subject?: string
  /** True if problems come in the order of `members`, unknown ones first, and not as they were sent. */
  isSorted?: true
}

/**
 * Checks an object by its members, for every body that the service reads: of records, of batches, of the console and of
 * tools. Returns the accepted values and all problems. `strangers` are those of the body that the object is part of.
 */
export function checkObject<Member>(
  object: Json,
  rules: ObjectRules<Member>,
  strangers?: Strangers,
): { accepted: JsonObject; problems: Problem[] } {
  const { members, path = '', subject = 'The body', isSorted } = rules
  if (!isObject(object)) {
    const message = path === '' ? `${subject} must be one JSON object` : 'must be an object'
    return { accepted: {}, problems: [problem(path.slice(0, -1), 'wrong_type', message)] }
  }
  const accepted: JsonObject = {}
  const met = strangers ?? countStrangers()
  const known = Object.keys(members)
  const names = [...Object.keys(object), ...known.filter((name) => !Object.hasOwn(object, name))]
  if (isSorted) names.sort((one, other) => known.indexOf(one) - known.indexOf(other))
  const problems = names.flatMap((name): Problem[] => {
    if (!Object.hasOwn(members, name)) return met.meet(path + name, rules.unknown)
    const member = members[name] as Member
    if (!Object.hasOwn(object, name)) {
      const message = rules.absent(member)
      return message === undefined ? [] : [problem(path + name, 'required', message)]
    }
    const checked = rules.check(member, object[name] as Json, path + name, met)
    if (Array.isArray(checked)) return checked
    accepted[name] = checked.value
    return []
  })
  return { accepted, problems: strangers ? problems : [...problems, ...met.left()] }
}
