import type { AddOn } from '#registry/add-ons.ts'
import type { Definition, Deprecation, Operation } from '#registry/definition.ts'
import { once } from '#registry/once.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { isPlanLimited } from '#registry/plans.ts'
import type { Registry } from '#registry/records/index.ts'
import type { RefusalCode } from '#registry/refusals.ts'

/**
 * The served routes as data. The router, the OpenAPI document, the reference page, the Postman collection and the
 * coverage test read this one list.
 */
export type Route = DataRoute | PublicRoute

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type DataRoute = {
  /** `projects.list`; the operation id of the documents and the route of the calls log. */
  id: string
  method: Method
  /** With `{id}` where one record is meant. */
  path: string
  operation: Operation
  definition: Definition
  scope: string
  addOn: AddOn
  success: number
  /** Every refusal it may give. */
  refusals: RefusalCode[]
  deprecated?: Deprecation
}

export type PublicRoute = {
  id: string
  method: 'GET'
  path: string
  operation: 'describe'
  about: string
  type: string
  deprecated?: Deprecation
}

export const isDataRoute = (route: Route): route is DataRoute => route.operation !== 'describe'
export const isWrite = ({ operation }: DataRoute): boolean => !['list', 'fetch'].includes(operation)

/** What the body of an operation may be sent as. */
export const bodyTypes = (operation: Operation): readonly string[] =>
  operation === 'update' ? ['application/merge-patch+json', 'application/json'] : ['application/json']

export function routes(registry: Registry): Route[] {
  const served = registry.filter((definition) => definition.served)
  return [...served.flatMap(dataRoutes), ...publicRoutes]
}

export const dataRoutesOf = (registry: Registry): DataRoute[] => routes(registry).filter(isDataRoute)

/** Refusals that belong to no route: the request itself cannot be read, or comes in too slowly, or expects what is not offered. */
export const unreadable: readonly RefusalCode[] = [
  'invalid_header',
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
]

/** Every refusal under /v1. */
export const refusalsUnder = (routes: readonly DataRoute[]): RefusalCode[] => [
  ...new Set<RefusalCode>([
    ...routes.flatMap((route) => route.refusals),
    ...unreadable,
    ...(['not_found', 'method_not_allowed'] as const),
  ]),
]

const publicRoutes: PublicRoute[] = [
  {
    id: 'openapi',
    method: 'GET',
    path: '/v1/openapi.json',
    operation: 'describe',
    about: 'This API as an OpenAPI 3.1 document.',
    type: 'application/json',
  },
  {
    id: 'docs',
    method: 'GET',
    path: '/v1/docs',
    operation: 'describe',
    about: 'The reference page, on which every call can be tried.',
    type: 'text/html; charset=utf-8',
  },
  {
    id: 'postman',
    method: 'GET',
    path: '/v1/postman.json',
    operation: 'describe',
    about: 'This API as a Postman collection, format v2.1.',
    type: 'application/json',
  },
]

/** The same objects for the same definition, so that what is worked out of a route can be kept with it. */
const dataRoutes = once((definition: Definition): DataRoute[] => {
  const collection = `/v1/${definition.name}`
  const one = `${collection}/{id}`
  return [
    dataRoute(definition, 'list', 'GET', collection, 'VIEW', 200),
    dataRoute(definition, 'fetch', 'GET', one, 'VIEW', 200),
    dataRoute(definition, 'create', 'POST', collection, 'EDIT', 201),
    dataRoute(definition, 'update', 'PATCH', one, 'EDIT', 200),
    dataRoute(definition, 'delete', 'DELETE', one, 'DELETE', 200),
  ]
})

function dataRoute(
  definition: Definition,
  operation: Operation,
  method: Method,
  path: string,
  action: Action,
  success: number,
): DataRoute {
  const deprecated = definition.served?.deprecated?.[operation]
  return {
    id: `${definition.name}.${operation}`,
    method,
    path,
    operation,
    definition,
    scope: permission(definition.name, action),
    addOn: definition.served?.addOn ?? 'api',
    success,
    refusals: refusalsOf(definition, operation),
    ...(deprecated ? { deprecated } : {}),
  }
}

/** In the order in which they are decided. Decisions, Errors. */
function refusalsOf(definition: Definition, operation: Operation): RefusalCode[] {
  const write = operation !== 'list' && operation !== 'fetch'
  const hasBody = operation === 'create' || operation === 'update'
  const existing = operation === 'fetch' || operation === 'update' || operation === 'delete'
  const limited = operation === 'create' && isPlanLimited(definition.name)
  const codes: [RefusalCode, boolean][] = [
    ['overloaded', true],
    ['invalid_header', true],
    ['invalid_idempotency_key', write],
    ['unauthorized', true],
    ['ip_not_allowed', true],
    ['insufficient_scope', true],
    ['feature_off', true],
    ['too_many_requests', true],
    ['unknown_parameter', true],
    ['invalid_parameter', true],
    ['invalid_dry_run', write],
    ['payload_too_large', hasBody],
    ['unsupported_media_type', hasBody],
    ['malformed_json', hasBody],
    ['idempotency_key_reuse', write],
    ['idempotency_in_progress', write],
    ['not_found', existing],
    ['precondition_failed', operation !== 'create'],
    ['validation_failed', hasBody],
    ['plan_limit_reached', limited],
    ['delete_blocked', operation === 'delete' && canBeBlocked(definition)],
    ['internal_error', true],
    ['unavailable', true],
    ['outcome_unknown', write],
  ]
  return codes.filter(([, given]) => given).map(([code]) => code)
}

const canBeBlocked = ({ removal }: Definition): boolean =>
  removal.protectedWhen !== undefined || removal.relations.some(({ blocks, rest }) => blocks || rest === 'blocks')
