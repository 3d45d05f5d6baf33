import { checkValue } from '#derive/input.ts'
import type { Problem, ProblemCode } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { invalidFields } from '#registry/refusals.ts'
import { countStrangers, strangersLeft } from '#registry/strangers.ts'

/** What a member of a body is: the console's own bodies are small, so each says it here in a word. */
type Sort = 'text' | 'texts' | 'flag' | 'id'
type Shape = { readonly [name: string]: Sort | `${Sort}?` }
type ValueOf = { text: string; texts: string[]; flag: boolean; id: number }

/** What is there when a body has passed: the members with a question mark may be absent. */
export type Members<S extends Shape> = {
  [name in keyof S as S[name] extends Sort ? name : never]: ValueOf[S[name] & Sort]
} & {
  [name in keyof S as S[name] extends Sort ? never : name]?: S[name] extends `${infer Plain extends Sort}?`
    ? ValueOf[Plain]
    : never
}

/** The members of a body, nothing stripped and nothing converted; all that is wrong with them at once. */
export function readMembers<const S extends Shape>(body: Json, shape: S, path = ''): Members<S> {
  if (!isObject(body)) {
    throw invalidFields([
      {
        field: path.slice(0, -1),
        code: 'wrong_type',
        message: path === '' ? 'The body must be one JSON object' : 'must be an object',
      },
    ])
  }
  const problems: Problem[] = []
  const strangers = countStrangers()
  const refuse = (name: string, code: ProblemCode, message: string) =>
    problems.push({ field: path + name, code, message })
  for (const [name, value] of Object.entries(body)) {
    const sort = Object.hasOwn(shape, name) ? (shape[name] as string).replace('?', '') : undefined
    if (sort === undefined) problems.push(...strangers(path + name, () => Object.keys(shape)))
    else if (!sorts[sort as Sort].is(value)) refuse(name, 'wrong_type', sorts[sort as Sort].must)
  }
  for (const [name, sort] of Object.entries(shape)) {
    if (!sort.endsWith('?') && !Object.hasOwn(body, name)) refuse(name, 'required', 'is required')
  }
  problems.push(...strangersLeft(strangers))
  if (problems.length > 0) throw invalidFields(problems)
  return body as unknown as Members<S>
}

const sorts: { readonly [sort in Sort]: { is(value: Json): boolean; must: string } } = {
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
}
