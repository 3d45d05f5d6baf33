import { checkValue } from '#derive/check-value.ts'
import type { Members, MemberType, Shape } from '#derive/console/operation.ts'
import type { Problem, ProblemCode } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { invalidFields } from '#registry/refusals.ts'
import { countStrangers } from '#registry/strangers.ts'

/** Returns the members of a body, nothing stripped and nothing converted. Throws all problems at once. */
export function readMembers<S extends Shape>(body: Json, shape: S): Members<S> {
  const problems = problemsOf(body, shape, '')
  if (problems.length > 0) throw invalidFields(problems)
  return body as unknown as Members<S>
}

function problemsOf(body: Json, shape: Shape, path: string): Problem[] {
  if (!isObject(body)) {
    const message = path === '' ? 'The body must be one JSON object' : 'must be an object'
    return [{ field: path.slice(0, -1), code: 'wrong_type', message }]
  }
  const problems: Problem[] = []
  const strangers = countStrangers()
  const refuse = (name: string, code: ProblemCode, message: string) =>
    problems.push({ field: path + name, code, message })
  for (const [name, value] of Object.entries(body)) {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (member === undefined) problems.push(...strangers.meet(path + name, () => Object.keys(shape)))
    else if (typeof member === 'object') problems.push(...problemsOf(value, member, `${path}${name}.`))
    else {
      const sort = sorts[member.replace('?', '') as MemberType]
      if (!sort.is(value)) refuse(name, 'wrong_type', sort.must)
    }
  }
  for (const [name, member] of Object.entries(shape)) {
    const isNeeded = typeof member === 'string' && !member.endsWith('?')
    if (isNeeded && !Object.hasOwn(body, name)) refuse(name, 'required', 'is required')
  }
  return [...problems, ...strangers.left()]
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
