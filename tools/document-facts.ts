import { isObject, type Json, type JsonObject } from '#registry/json.ts'

/**
 * The promises of a document as facts, so that two versions can be compared. docs/compatibility.md defines what is
 * breaking.
 */

/** Fact by subject: `request POST /v1/clients body.name` is `string required maxLength=200`. */
export type Facts = ReadonlyMap<string, string>

export type Difference = { added: string[]; gone: string[]; narrowed: string[] }

/** Returns the facts of an OpenAPI document in order, with references resolved. Names of schemas are no facts. */
export function facts(document: JsonObject): Facts {
  const found = new Map<string, string>()
  for (const [path, methods] of entries(document.paths)) {
    for (const [method, operation] of entries(methods)) readOperation(`${method.toUpperCase()} ${path}`, operation)
  }
  for (const [name, { post }] of entries(document.webhooks)) {
    for (const [, { schema }] of entries(part(post, 'requestBody').content)) {
      readValue(`message ${name}`, schema as JsonObject, 'body', 'always')
    }
  }
  for (const code of (resolve({ $ref: '#/components/schemas/ProblemCode' }).enum ?? []) as string[]) {
    found.set(`code ${code}`, '')
  }
  return new Map([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)))

  function readOperation(at: string, operation: JsonObject): void {
    found.set(`operation ${at}`, '')
    for (const scope of [operation['x-required-scope'] ?? []].flat()) found.set(`scope ${at} ${scope}`, '')
    for (const each of (operation.parameters ?? []) as JsonObject[]) {
      const { name, in: place, required, schema } = resolve(each)
      const demand = required ? 'required' : 'optional'
      readValue(`parameter ${at}`, schema as JsonObject, `${place}.${name}`, demand)
    }
    if (operation.requestBody) {
      for (const [type, { schema }] of entries(resolve(operation.requestBody).content)) {
        found.set(`request ${at} ${type}`, '')
        readValue(`request ${at}`, schema as JsonObject, 'body', 'required')
      }
    }
    for (const [status, response] of entries(operation.responses)) readResponse(at, status, resolve(response))
  }

  function readResponse(at: string, status: string, { headers, content }: JsonObject): void {
    const isRefusal = /^[45]/.test(status)
    if (!isRefusal) found.set(`answer ${at} ${status}`, '')
    for (const [type, { schema, examples }] of entries(content)) {
      if (type === 'application/problem+json') {
        for (const code of Object.keys(examples ?? {})) found.set(`refusal ${at} ${status} ${code}`, '')
        continue
      }
      found.set(`answer ${at} ${status} ${type}`, '')
      readValue(`answer ${at} ${status}`, schema as JsonObject, '', 'always')
    }
    for (const [name, header] of isRefusal ? [] : entries(headers)) {
      found.set(`answer ${at} ${status} header.${name}`, `text ${resolve(header).required ? 'always' : 'sometimes'}`)
    }
  }

  /** A type inside itself is read once. */
  function readValue(
    of: string,
    schema: JsonObject,
    member: string,
    demand: string,
    above: readonly Json[] = [],
  ): void {
    const choices = choicesOf(schema)
    const subject = `${of} ${member}`.trimEnd()
    found.set(subject, `${typesOf(choices)} ${demand}${limitsOf(choices)}`)
    const objects = choices.filter((choice) => !above.includes(choice))
    const within = [...above, ...objects]
    const items = objects.flatMap(({ items }) => (isObject(items) ? [items] : []))
    if (items.length > 0)
      readValue(of, { anyOf: items }, `${member}[]`, isDemanded(demand) ? 'optional' : 'always', within)
    const named = objects.filter(({ properties }) => properties)
    for (const name of new Set(named.flatMap(({ properties }) => Object.keys(properties as JsonObject)))) {
      const having = named.filter(({ properties }) => name in (properties as JsonObject))
      const needed =
        having.length === named.length && named.every(({ required = [] }) => (required as string[]).includes(name))
      const inside = isDemanded(demand) ? (needed ? 'required' : 'optional') : needed ? 'always' : 'sometimes'
      const anyOf = having.map(({ properties }) => (properties as JsonObject)[name] as JsonObject)
      readValue(of, { anyOf }, member === '' ? name : `${member}.${name}`, inside, within)
    }
  }

  /** Returns the alternatives of a schema, nested ones flattened. */
  function choicesOf(schema: JsonObject): JsonObject[] {
    const own = resolve(schema)
    const inner = (own.oneOf ?? own.anyOf) as JsonObject[] | undefined
    return inner ? [...new Set(inner.flatMap(choicesOf))] : [own]
  }

  function resolve(at: Json | undefined): JsonObject {
    const { $ref } = at as { $ref?: string }
    if ($ref === undefined) return at as JsonObject
    const names = $ref.slice(2).split('/')
    return names.reduce((value, name) => part(value, name), document)
  }
}

/** Returns additions, removals, and promises that became weaker. */
export function difference(before: Facts, now: Facts): Difference {
  const narrowed = [...now].flatMap(([subject, is]) => {
    const reasons = before.has(subject) ? narrowings(before.get(subject) ?? '', is) : demandsOf(subject, is, before)
    return reasons.map((reason) => `${subject} ${reason}`)
  })
  return { added: missingIn(before, now), gone: missingIn(now, before), narrowed }
}

/** Returns the subjects of one that the other lacks, except those inside of another missing one. */
function missingIn(other: Facts, one: Facts): string[] {
  const missing = [...one.keys()].filter((subject) => !other.has(subject))
  const isInside = (subject: string): boolean =>
    [...subject.matchAll(/[ .[]/g)].some(({ index }) => all.has(subject.slice(0, index)))
  const all = new Set(missing)
  return missing.filter((subject) => !isInside(subject))
}

/** Returns new required parts of a request that could be sent before. */
function demandsOf(subject: string, is: string, before: Facts): string[] {
  const [kind = '', method, path, member = ''] = subject.split(' ')
  const isRequired = kind === 'scope' || read(is).demand === 'required'
  const isInside = kind === 'request' && member.includes('.')
  const around = isInside ? subject.slice(0, subject.lastIndexOf('.')) : `operation ${method} ${path}`
  return isRequired && before.has(around) ? ['is needed now'] : []
}

function narrowings(before: string, now: string): string[] {
  const [was, is] = [read(before), read(now)]
  const [wider, narrower] = isDemanded(was.demand) ? [was, is] : [is, was]
  const lost = wider.types.filter((type) => !isCovering(narrower.types, type))
  const isLooser = was.demand === 'always' && is.demand === 'sometimes'
  return [
    ...lost.map((type) => (wider === was ? `is no ${type} any more` : `may be ${type} now`)),
    ...(is.demand === 'required' && was.demand === 'optional' ? ['is required now'] : []),
    ...(isLooser ? ['may be absent now'] : []),
    ...(isDemanded(was.demand) ? findStricterLimits(was.limits, is.limits) : []),
    ...wordsGone(was.limits.words, isDemanded(was.demand) || was.limits.words ? is.limits.words : undefined),
  ]
}

function findStricterLimits(was: Limits, is: Limits): string[] {
  const tighter = Object.entries(is).filter(([name, limit]) => {
    const before = was[name]
    if (name === 'words' || before === limit) return false
    if (before === undefined || !/^m(in|ax)/.test(name)) return true
    return name.startsWith('min') ? Number(limit) > Number(before) : Number(limit) < Number(before)
  })
  return tighter.map(([name, limit]) => (name === 'closed' ? 'takes no other members now' : `has ${name} ${limit} now`))
}

function wordsGone(was: string | undefined, is: string | undefined): string[] {
  if (is === undefined) return []
  if (was === undefined) return ['is one of some words now']
  const left = is.split('|')
  return was.split('|').flatMap((word) => (left.includes(word) ? [] : [`is no ${word} any more`]))
}

const isCovering = (types: readonly string[], type: string): boolean =>
  types.includes(type) || types.includes('any') || (type.startsWith('integer') && types.includes('number'))

type Limits = { readonly [name: string]: string | undefined }

function read(said: string): { types: string[]; demand: string; limits: Limits } {
  const [types = '', demand = '', ...limits] = said.split(' ')
  const named = limits.map((limit) => [limit.slice(0, limit.indexOf('=')), limit.slice(limit.indexOf('=') + 1)])
  return { types: types.split('|'), demand, limits: Object.fromEntries(named) }
}

const isDemanded = (demand: string): boolean => demand === 'required' || demand === 'optional'

function typesOf(choices: readonly JsonObject[]): string {
  const types = choices.flatMap(({ type = 'any', format }) =>
    [type].flat().map((each) => (format && each !== 'null' ? `${each}:${format}` : `${each}`)),
  )
  return [...new Set(types)].toSorted().join('|')
}

const limitNames = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'] as const

/** Returns the limits that hold for every alternative except null. */
function limitsOf(choices: readonly JsonObject[]): string {
  const values = choices.filter(({ type }) => type !== 'null')
  const words = values.map((value) => value.enum as Json[] | undefined)
  const common = limitNames.flatMap((name) => {
    const [limit, ...others] = new Set(values.map((value) => value[name]))
    return limit === undefined || others.length > 0 ? [] : [` ${name}=${String(limit).replaceAll(' ', '\\x20')}`]
  })
  if (values.length > 0 && values.every((value) => value.additionalProperties === false)) common.push(' closed=yes')
  if (values.length === 0 || words.includes(undefined)) return common.join('')
  return `${common.join('')} words=${[...new Set(words.flat())].join('|')}`
}

const entries = (value: Json | undefined): [string, JsonObject][] =>
  Object.entries((value ?? {}) as { [name: string]: JsonObject })

const part = (value: Json | undefined, name: string): JsonObject => (value as JsonObject)[name] as JsonObject
