import type { Definition } from '#registry/definition.ts'
import { memoize } from '#registry/memoize.ts'
import type { RefusalCode } from '#registry/refusals.ts'
import type { Registry } from '#registry/resources/index.ts'
import { chosenFields } from './operations/choices.ts'
import {
  type Operations,
  ofReferences,
  ownOperations,
  type StandardName,
  standardOperations,
} from './operations/index.ts'
import {
  type CompleteOperation,
  type DataOperation,
  type DocumentOperation,
  type OnReference,
  type OnResource,
  usualFacts,
} from './operations/operation.ts'
import { dryRunParameter } from './parameters.ts'

/**
 * The served routes as data: the operations of every resource and those of their own, with what follows from their
 * answers. The router, the OpenAPI document, the reference page, the Postman collection and the coverage test read this
 * one list.
 */
export type Route = DataRoute | DocumentRoute

/** `id` is the operation id of the documents and the route of the calls log: `projects.list`. */
type RouteName = { id: string; operation: string }

/**
 * `refusals` are all of the route's, `parameters` all that it accepts, `scopes` all that it needs. `conditional` is true
 * if If-Match and If-None-Match apply.
 */
export type DataRoute = CompleteOperation &
  RouteName & { parameterNames: readonly string[]; scopes: readonly string[]; conditional: boolean }

export type ResourceRoute = OnResource & DataRoute

export type ReferenceRoute = OnReference & DataRoute

export type DocumentRoute = DocumentOperation & RouteName

const everything: Operations = { standard: standardOperations, own: ownOperations, ofReferences }

export function routes(registry: Registry, operations = everything, base = '/v1'): Route[] {
  const served = registry.filter((definition) => definition.served)
  const ofResources = served.flatMap((definition) =>
    Object.values(routesOfResource(operations)(definition, base)).filter(canName),
  )
  return [...ofResources, ...ownRoutes(operations.own, base)]
}

/** True if the records have the field by which the path names them. */
const canName = ({ definition, pathParameters }: ResourceRoute): boolean =>
  pathParameters.every(({ is }) => is === 'Id' || is.field === undefined || is.field in definition.fields)

export const isDataRoute = (route: Route): route is DataRoute => 'scope' in route
export const isWrite = ({ method }: Pick<DataRoute, 'method'>): boolean => method !== 'GET'

export const dataRoutesOf = (registry: Registry): DataRoute[] => routes(registry).filter(isDataRoute)

export type StandardRoutes = { readonly [name in StandardName]: ResourceRoute }

/** Returns the routes of one resource by operation. */
export const routesOn = (definition: Definition, base = '/v1'): StandardRoutes =>
  routesOfResource(everything)(definition, base) as StandardRoutes

/** Returns the routes of all served resources. */
export const resourceRoutes = (registry: Registry): StandardRoutes[] =>
  registry.filter((definition) => definition.served).map((definition) => routesOn(definition))

/** Refusals outside of any route: the request cannot be parsed, arrives too slowly, or expects what is not offered. */
export const unreadableRefusals: readonly RefusalCode[] = [
  'invalid_header',
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
]

/** Returns every refusal under /v1. */
export const refusalsUnder = (routes: readonly DataRoute[]): RefusalCode[] => [
  ...new Set<RefusalCode>([
    ...routes.flatMap((route) => route.refusals),
    ...unreadableRefusals,
    ...(['not_found', 'method_not_allowed', 'not_implemented'] as const),
  ]),
]

/** Returns the path as routers and Postman write it: `:id` for `{id}`. */
export const colonPath = (path: string): string => path.replaceAll('{', ':').replaceAll('}', '')

/** Returns the same routes for the same list and definition, so that derived values can be cached by route. */
const routesOfResource = memoize(({ standard, ofReferences = {} }: Operations) =>
  memoize((definition: Definition, base: string): { readonly [name: string]: ResourceRoute } => {
    const { name, served } = definition
    const deprecated = served?.deprecated ?? {}
    const unknown = Object.keys(deprecated).find((operation) => !(operation in standard))
    if (unknown !== undefined) throw new Error(`${name} has no ${unknown} that could be deprecated`)
    const place = (own: string, operation: string, facts: OnResource): [string, ResourceRoute] => [
      own,
      { ...completeOperation(facts), id: `${name}.${own}`, operation },
    ]
    return Object.fromEntries([
      ...Object.entries(standard).map(([operation, describe]) => {
        const going = deprecated[operation]
        return place(operation, operation, { ...describe(definition, base), ...(going ? { deprecated: going } : {}) })
      }),
      ...chosenFields(definition).flatMap((field) =>
        Object.entries(ofReferences).map(([operation, describe]) =>
          place(`${field}_${operation}`, operation, describe(definition, field, base)),
        ),
      ),
    ])
  }),
)

/** Returns an operation that exists once, under a base path. */
export const ownRoute = (name: keyof typeof ownOperations, base = '/v1'): DataRoute =>
  ownRoutes(ownOperations, base).find(({ id }) => id === name) as DataRoute

const ownRoutes = memoize((own: Operations['own'], base: string): Route[] =>
  Object.entries(own).map(([id, make]) => {
    const operation = make(base)
    return { ...('scope' in operation ? completeOperation(operation) : operation), id, operation: id }
  }),
)

/** Adds the usual members, and the parameters and refusals that follow from the others. */
function completeOperation<Data extends DataOperation>(sparse: Data) {
  const operation: Data & CompleteOperation = { ...usualFacts, ...sparse }
  const { scope } = operation
  const parameters = [...operation.parameters, ...(isWrite(operation) ? [dryRunParameter] : [])]
  return {
    ...operation,
    parameters,
    parameterNames: parameters.map(({ name }) => name),
    scopes: scope === null ? [] : typeof scope === 'string' ? [scope] : scope,
    refusals: refusalsOf(operation),
    conditional: operation.refusals.includes('precondition_failed'),
  }
}

/** Returns the refusals in the order in which they are decided. Decisions, Errors. */
function refusalsOf({ method, scope, needs, body, refusals }: CompleteOperation): RefusalCode[] {
  const write = isWrite({ method })
  const only = (given: boolean, ...codes: RefusalCode[]): RefusalCode[] => (given ? codes : [])
  return [
    ...(['overloaded', 'unauthorized', 'ip_not_allowed'] as const),
    ...only(scope !== null || needs !== undefined, 'insufficient_scope'),
    ...(['feature_off', 'too_many_requests', 'invalid_header'] as const),
    ...only(write, 'invalid_idempotency_key'),
    ...(['unknown_parameter', 'invalid_parameter'] as const),
    ...only(write, 'invalid_dry_run'),
    ...only(body !== null, 'payload_too_large', 'unsupported_media_type', 'malformed_json'),
    ...only(write, 'idempotency_key_reuse', 'idempotency_in_progress'),
    ...refusals,
    ...only(write, 'plan_changed'),
    ...(['internal_error', 'unavailable'] as const),
    ...only(write, 'outcome_unknown'),
  ]
}
