import type { JsonObject } from '#registry/json.ts'
import type { ResponseSpec } from '../operations/operation.ts'
import type { DataRoute } from '../routes.ts'
import { refTo } from '../schemas/envelopes.ts'
import { capital, schemaName } from '../words.ts'

/** The links from the response of a write (OpenAPI, Link Object): to the record, and to the undo. */

export const linkComponents = (routes: readonly DataRoute[]): JsonObject =>
  Object.fromEntries(
    routes.filter((route) => targetOf(route) !== undefined).map((route) => [linkName(route), linkTo(route)]),
  )

/** Returns the names of the components to which an answer of the route leads. */
export function linksFrom(route: DataRoute, routes: readonly DataRoute[]): string[] {
  const followed = routes.filter((to) => {
    const target = targetOf(to)
    return target === 'write' || (target === 'record' && route.makes === 'record' && to.definition === route.definition)
  })
  return followed.map(linkName)
}

/** Returns the links of a response. A write has its id in `X-Write-Id`. */
export const linksOf = ({ headers }: ResponseSpec, names: readonly string[]): JsonObject =>
  names.length > 0 && headers.includes('WriteId')
    ? { links: Object.fromEntries(names.map((name) => [name, refTo(name, 'links')])) }
    : {}

/** Returns the object that the path names, if the path needs nothing else. */
function targetOf({ pathParameters: [parameter] }: DataRoute): 'record' | 'write' | undefined {
  if (parameter?.is === 'Id') return 'record'
  return typeof parameter?.is === 'object' && parameter.is.write ? 'write' : undefined
}

/** FetchProject for projects.fetch, Undo for writes.undo. */
const linkName = ({ id, definition }: DataRoute): string =>
  capital(id.slice(id.lastIndexOf('.') + 1)) + (definition ? schemaName(definition) : '')

function linkTo(route: DataRoute): JsonObject {
  const [parameter] = route.pathParameters
  const value = targetOf(route) === 'write' ? '$response.header.X-Write-Id' : '$response.body#/data/id'
  return {
    operationId: route.id,
    parameters: { [parameter?.name as string]: value },
    description: `${route.summary}.`,
  }
}
