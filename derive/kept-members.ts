import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { type Registry, registry, servedResources } from '#registry/resources/index.ts'
import { openapi } from './openapi.ts'
import { type DataRoute, dataRoutesOf } from './routes.ts'

/** Members and query parameters whose values the call log may store. */
export type KeepableNames = { members: ReadonlySet<string>; parameters: ReadonlySet<string> }

/**
 * Returns the names that the call log may store for a route: those of its document, without fields that have a right.
 * Any other name may be such a field, misspelt. Decisions, Call log.
 */
export const keepableNames = memoize((route: DataRoute): KeepableNames => {
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

/** Returns the member names of all schemas that the document of a route leads to. */
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
      ...(isNew ? membersIn(resolveReference(document, $ref)) : []),
      ...(isObject(properties) ? Object.keys(properties) : []),
      ...(isObject(propertyNames) ? ((propertyNames.enum ?? []) as string[]) : []),
      ...Object.values(part).flatMap(membersIn),
    ]
  }
}

const resolveReference = (document: JsonObject, ref: string): Json =>
  ref
    .slice(2)
    .split('/')
    .reduce<Json>((part, name) => (part as JsonObject)[name] ?? null, document)

const whole = memoize((all: Registry) => openapi(dataRoutesOf(all), { base: 'https://localhost', version: '' }))
