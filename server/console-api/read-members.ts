import { checkObject, type ObjectRules } from '#derive/check-object.ts'
import { checkValue } from '#derive/check-value.ts'
import type { Members, MemberType, Shape } from '#derive/console/operation.ts'
import { type Problem, problem } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { invalidFields } from '#registry/refusals.ts'
import { noField, type Strangers } from '#registry/strangers.ts'

/** Returns the members of a body, nothing stripped and nothing converted. Throws all problems at once. */
export function readMembers<S extends Shape>(body: Json, shape: S): Members<S> {
  const problems = problemsOf(body, shape, '')
  if (problems.length > 0) throw invalidFields(problems)
  return body as unknown as Members<S>
}

function problemsOf(body: Json, shape: Shape, path: string, strangers?: Strangers): Problem[] {
  const rules: ObjectRules<Shape[string]> = {
    members: shape,
    path,
    absent: (member) => (typeof member === 'string' && !member.endsWith('?') ? 'is required' : undefined),
    unknown: () => noField(Object.keys(shape)),
    check(member, value, at, met) {
      if (typeof member === 'object') return problemsOf(value, member, `${at}.`, met)
      const { is, must } = sorts[member.replace('?', '') as MemberType]
      return is(value) ? { value } : [problem(at, 'wrong_type', must)]
    },
  }
  return checkObject(body, rules, strangers).problems
}

const sorts: { readonly [sort in MemberType]: { is(value: Json): boolean; must: string } } = {
  text: { is: (value) => typeof value === 'string', must: 'must be text' },
  texts: {
    is: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    must: 'must be a list of texts',
  },
  flag: { is: (value) => typeof value === 'boolean', must: 'must be true or false' },
  id: {
    is: (value) => checkValue({ kind: 'id', about: '' }, value, '').problems.length === 0,
    must: 'must be an id (a positive whole number)',
  },
  count: {
    is: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    must: 'must be a whole number from 0',
  },
  object: { is: isObject, must: 'must be an object' },
  objects: {
    is: (value) => Array.isArray(value) && value.every((item) => isObject(item)),
    must: 'must be a list of objects',
  },
}
