import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { once } from '#registry/once.ts'
import { type Registry, registry, servedResources } from '#registry/resources/index.ts'
import { openapi } from './openapi.ts'
import { type DataRoute, dataRoutesOf } from './routes.ts'

/** The names of members and of query parameters whose values the log of calls may keep. */
export type Keepable = { members: ReadonlySet<string>; parameters: ReadonlySet<string> }

/**
 * Returns what may be kept of the calls of a route: what its document names, less the fields with a right of their own.
 * Any other name may be such a field in another spelling. Decisions, Call log.
 */
export const keepable = once((route: DataRoute): Keepable => {
  const { definition, parameters } = route
  const definitions = definition ? [definition] : servedResources
  const withRight = new Set(definitions.flatMap(fieldsWithRight))
  const isOpen = (name: string): boolean => !withRight.has(name)
  const members = [...membersOf(route), ...definitions.flatMap(({ fields }) => namesIn(fields))]
  const open = parameters.filter(
    ({ name, field = name }) =>
      isOpen(field) && (name !== 'q' || definitions.every(({ search }) => search.every(isOpen))),
  )
  return { members: new Set(members.filter(isOpen)), parameters: new Set(open.map(({ name }) => name)) }
})

const fieldsWithRight = ({ fields }: Definition): string[] =>
  Object.entries(fields).flatMap(([name, { right }]) => (right ? [name] : []))

const namesIn = (fields: { readonly [name: string]: Field }): string[] =>
  Object.entries(fields).flatMap(([name, field]) => [name, ...namesIn(kindOf(field).members?.(field) ?? {})])

/** The names of the members of all schemas that the document of the API leads to from a route. */
function membersOf({ method, path }: DataRoute): string[] {
  const document = whole(registry)
  const operation = (document.paths as { [path: string]: JsonObject })[path]?.[method.toLowerCase()] ?? null
  const reached = new Set<string>()
  return membersIn(operation)

  function membersIn(part: Json): string[] {
    if (Array.isArray(part)) return part.flatMap(membersIn)
    if (!isObject(part)) return []
    const { $ref, properties = null, propertyNames = null } = part
    const isNew = typeof $ref === 'string' && !reached.has($ref)
    if (isNew) reached.add($ref)
    return [
      ...(isNew ? membersIn(at(document, $ref)) : []),
      ...(isObject(properties) ? Object.keys(properties) : []),
      ...(isObject(propertyNames) ? ((propertyNames.enum ?? []) as string[]) : []),
      ...Object.values(part).flatMap(membersIn),
    ]
  }
}

const at = (document: JsonObject, ref: string): Json =>
  ref
    .slice(2)
    .split('/')
    .reduce<Json>((part, name) => (part as JsonObject)[name] ?? null, document)

const whole = once((all: Registry) => openapi(dataRoutesOf(all), { base: 'https://localhost', version: '' }))
