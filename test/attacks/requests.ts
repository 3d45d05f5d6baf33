import { toolNamed } from '#derive/agent/tools.ts'
import { batchModes } from '#derive/batch.ts'
import { type BatchOp, batchOperations, batchOps } from '#derive/batch-operation.ts'
import type { MemberType, Shape } from '#derive/console/operation.ts'
import { filtersOf } from '#derive/parameters.ts'
import { type DataRoute, isWrite } from '#derive/routes.ts'
import { listNeededRights } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '#registry/json.ts'
import { permission, permissionOfRight } from '#registry/permissions.ts'
import { definitionOf, registry, servedResources } from '#registry/resources/index.ts'
import type { ConsoleRoute } from '#server/console-api/operation-request.ts'
import type { Wire } from '../stage/http.ts'
import { type Caller, ownersPassword, referredBy, type Targets, type WriteKind, writeKinds } from './ground.ts'
import { neededToSee } from './markers.ts'
import { agentHeaders, mcp, toolCall } from './message.ts'

/** The requests of the attacks, made from the definitions of the operations alone. */

export type Attack = {
  channel: 'v1' | 'console' | 'mcp'
  /** The id of the operation. */
  operation: string
  /** The resource whose records it names; undefined if it names none, or those of a first resource. */
  records: string | undefined
  /** The request in words. */
  call: string
  /** The permissions without any of which it is refused. */
  needs: readonly string[]
  isRead: boolean
  /** True if it succeeds for who may do everything. */
  succeeds: boolean
  /** The request as somebody sends it who wants its effect. */
  real(by: Caller, at: Targets): Wire
  /** The request of who may make it: a read, a dry-run, or a body that is refused. Undefined if there is none. */
  safe(by: Caller, at: Targets): Wire | undefined
}

type Variant = {
  /** The resource of its records, where the operation has none of its own. */
  records?: string
  query?: string
  bodyAt?: (at: Targets) => JsonObject
  needs?: readonly string[]
  says?: string
  succeeds?: false
}

const rightsOf = ({ fields }: Definition): string[] => [
  ...new Set(
    Object.values(fields).flatMap(({ right, readOnly }) => (right && !readOnly ? [permissionOfRight(right)] : [])),
  ),
]

/** Returns the permissions to take back a write of each kind that sent all fields of the resource. */
const neededToUndo = (definition: Definition, kind: WriteKind): string[] =>
  kind === 'create'
    ? [permission(definition.name, definition.removal.undone ? 'EDIT' : 'DELETE')]
    : [
        permission(definition.name, 'EDIT'),
        ...(kind === 'update' ? [permission(definition.name, 'VIEW'), ...rightsOf(definition)] : []),
      ]

const undoOf = (definition: Definition, kind: WriteKind): Variant => ({
  ...{ records: definition.name, needs: neededToUndo(definition, kind) },
  ...{ says: ` of a ${kind} of ${definition.name}`, succeeds: false },
})

/** Returns the permissions for all that stands on a paper: it is whole or refused. */
function neededForPaper(definition: Definition): string[] {
  const addressee = definitionOf(registry, referenceOf(definition.fields[definition.paper?.to ?? ''])?.to ?? '')
  if (!addressee) return []
  return [
    permission(definition.name, 'VIEW'),
    permission(addressee.name, 'VIEW'),
    ...rightsOf(definition),
    ...listNeededRights(addressee, addressee.addressee ?? []),
  ]
}

/** Queries that name a field with a right of its own. */
function queriesNaming(definition: Definition, parameters: readonly string[] | undefined): Variant[] {
  const takes = (name: string): boolean => parameters === undefined || parameters.includes(name)
  return Object.entries(definition.fields).flatMap(([name, field]): Variant[] => {
    if (!field.right) return []
    const needs = [permissionOfRight(field.right)]
    const filters = filtersOf(definition).filter((filter) => filter.field === name && takes(filter.parameter))
    return [
      ...(takes('fields') ? [`fields=${name}`] : []),
      ...(takes('sort') && kindOf(field).sortable ? [`sort=-${name}`] : []),
      ...filters.map(({ parameter }) => `${parameter}=1`),
    ].map(
      (query): Variant => ({
        query,
        needs,
        says: `?${query}`,
        ...(query.startsWith('fields') ? {} : { succeeds: false }),
      }),
    )
  })
}

/** Bodies of a record: what it needs alone, and one for each field with a right of its own. */
function bodiesOf(definition: Definition, isNew: boolean): Variant[] {
  const bodyAt = (at: Targets): JsonObject => (isNew ? neededBy(definition, at) : titleOf(definition))
  return [
    { bodyAt },
    ...Object.entries(definition.fields).flatMap(([name, { right, readOnly }]): Variant[] =>
      right && !readOnly
        ? [
            {
              bodyAt: (at) => ({ [name]: null, ...bodyAt(at) }),
              needs: [permissionOfRight(right)],
              says: ` with ${name}`,
            },
          ]
        : [],
    ),
  ]
}

const plainValueOf = (field: Field): Json =>
  ['text', 'paragraph'].includes(field.kind) ? 'Attacked' : kindOf(field).example(field)

const titleOf = ({ title, fields }: Definition): JsonObject => ({ [title]: plainValueOf(fields[title] as Field) })

/** The least that a new record needs. */
const neededBy = (definition: Definition, at: Targets): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(definition.fields).flatMap(([name, field]): [string, Json][] =>
      field.required && field.initial === undefined && !field.readOnly
        ? [
            [
              name,
              field.kind === 'reference'
                ? Number(at.ids[referredBy(definition, name)] ?? at.ids[field.to])
                : plainValueOf(field),
            ],
          ]
        : [],
    ),
  ),
  ...titleOf(definition),
})

/** Operations of a batch, one for each way to change a record. */
const operationsOn = (definition: Definition, op: BatchOp, at: Targets): JsonObject => {
  const { names, sends } = batchOperations[op]
  const { name } = definition
  return {
    ...{ op, records: name },
    ...(names === 'either' ? { id: Number(at.ids[name]) } : {}),
    ...(names === 'reference' ? { external_ref: at.references[name] ?? null } : {}),
    ...(sends ? { body: names === null ? neededBy(definition, at) : titleOf(definition) } : {}),
  }
}

const withQuery = (path: string, ...queries: (string | undefined)[]): string => {
  const query = queries.filter((one) => one !== undefined).join('&')
  return query === '' ? path : `${path}?${query}`
}

const json = ['Content-Type', 'application/json'] as const

/** The attacks on the operations of /v1. */
export function attacksOnApi(routes: readonly DataRoute[]): Attack[] {
  return routes.flatMap((route) => {
    const write = isWrite(route)
    const wireOf =
      (path: (at: Targets) => string, variant: Variant, dry: boolean) =>
      (by: Caller, at: Targets): Wire => {
        const body = variant.bodyAt?.(at)
        return {
          method: route.method,
          path: withQuery(path(at), variant.query, dry && write ? 'dry_run=1' : undefined),
          headers: [['Authorization', `Bearer ${by.token}`], ...(body ? [json] : [])],
          body: body && JSON.stringify(body),
        }
      }
    const attack = (variant: Variant, path = (at: Targets) => pathOf(route, at)): Attack => ({
      ...{ channel: 'v1', operation: route.id, isRead: !write },
      records: variant.records ?? route.definition?.name,
      call: `${route.method} ${route.path}${variant.says ?? ''}`,
      needs: [...route.scopes, ...(variant.needs ?? [])],
      succeeds: variant.succeeds ?? !route.refusals.includes('delete_blocked'),
      real: wireOf(path, variant, false),
      safe: wireOf(path, variant, true),
    })
    const { definition } = route
    if (route.pathParameters.some(({ is }) => is !== 'Id' && is.write)) {
      return servedResources.flatMap((each) =>
        writeKinds.map((kind) =>
          attack(undoOf(each, kind), (at) =>
            pathOf(route, { ...at, ids: { ...at.ids, writes: at.writes[each.name]?.[kind] ?? '' } }),
          ),
        ),
      )
    }
    if (definition && route.body) return bodiesOf(definition, route.method === 'POST').map((variant) => attack(variant))
    if (isObject(route.body?.sent) && Array.isArray(route.body.sent.operations)) {
      return servedResources.flatMap((each) =>
        batchOps.flatMap((op) =>
          batchModes.map((mode) =>
            attack({
              records: each.name,
              bodyAt: (at) => ({ mode, operations: [operationsOn(each, op, at)] }),
              needs: [permission(each.name, batchOperations[op].action)],
              says: ` (${mode}) to ${op} ${each.name}`,
              succeeds: false,
            }),
          ),
        ),
      )
    }
    if (route.body) return [attack({ bodyAt: () => route.body?.sent as JsonObject })]
    const queries = definition && !write ? queriesNaming(definition, route.parameterNames) : []
    return [{}, ...queries].map((variant) => attack(variant))
  })
}

/** Returns the path with what the targets have for each parameter. */
const pathOf = (route: DataRoute, at: Targets): string =>
  route.pathParameters.reduce((path, { name, is }) => {
    const resource = route.definition?.name ?? ''
    const value =
      is === 'Id'
        ? at.ids[resource]
        : is.write
          ? at.ids.writes
          : is.field
            ? at.references[resource]
            : String(is.example)
    if (value === undefined) throw new Error(`${route.id}: there is no target for ${name} of ${resource}`)
    return path.replace(`{${name}}`, encodeURIComponent(value))
  }, route.path)

/** The kind of object that a path of the console names: what stands before its id. */
function kindIn(path: string): string {
  const parts = path.split('/').slice(2)
  const before = parts[parts.indexOf('{id}') - 1] ?? ''
  return parts[0] === 'imports' ? `imports of ${before}` : before
}

function targetOf(path: string, at: Targets): string {
  const kind = kindIn(path)
  const records = kind.replace('imports of ', '')
  const target = kind === records ? at.ids[kind] : at.imports[records]
  if (target === undefined) throw new Error(`${path}: there is no target for ${kind}`)
  return target
}

/** Of a resource of the console's paths: `/console/records/clients`. */
export const definitionIn = (path: string): Definition | undefined =>
  definitionOf(registry, /^\/console\/(?:records|imports)\/(\w+)/.exec(path)?.[1] ?? '')

/** Operations that change nothing, although their method could. */
const harmless = /\.(look-up|dry-run)$/

export type InnerNeeds = { readonly [kind: string]: readonly string[] }

/** The attacks on the operations of the console. `inner` are the needs of objects that any session may name. */
export function attacksOnConsole(routes: readonly ConsoleRoute[], inner: InnerNeeds): Attack[] {
  return routes.flatMap((route) => {
    const { method, path, needs, body: shape, query } = route
    const isRead = method === 'GET'
    const hasId = path.includes('{id}')
    const definition = definitionIn(path)
    const isOnRecords = path.startsWith('/console/records/')
    const isOfPaper = path.includes('{id}/paper')
    const takesDryRun = (isOnRecords && !isRead && !isOfPaper) || query?.includes('dry_run') === true
    const own =
      needs === 'session' && hasId
        ? (inner[kindIn(path)] ?? [])
        : needs === 'session' || needs === 'nobody'
          ? []
          : [needs]
    const wire = (
      by: Caller,
      _at: Targets,
      variant: Variant,
      target: string | undefined,
      body: JsonObject | undefined,
      dry: boolean,
    ): Wire => ({
      method,
      path: withQuery(
        target === undefined ? path : path.replace('{id}', target),
        variant.query,
        dry ? 'dry_run=1' : undefined,
      ),
      headers: [
        ['Sec-Fetch-Site', 'same-origin'],
        ...(needs === 'nobody' ? [] : [['Cookie', by.cookie as string] as const]),
        ...(body ? [json] : []),
      ],
      body: body && JSON.stringify(body),
    })
    const attack = (variant: Variant, target = (at: Targets) => (hasId ? targetOf(path, at) : undefined)): Attack => {
      const full = (at: Targets): JsonObject | undefined =>
        variant.bodyAt?.(at) ?? (shape && bodyOf(typeof shape === 'string' ? { name: 'text' } : shape, definition, at))
      const isSafe = isRead || harmless.test(route.id)
      return {
        ...{ channel: 'console', operation: `console.${route.id}`, isRead },
        records: variant.records ?? definition?.name,
        call: `${method} ${path}${variant.says ?? ''}`,
        needs: [...own, ...(definition && isOfPaper ? neededForPaper(definition) : []), ...(variant.needs ?? [])],
        succeeds: variant.succeeds ?? (isRead || (isOnRecords && method !== 'DELETE' && !isOfPaper)),
        real: (by, at) => wire(by, at, variant, target(at), full(at), false),
        safe: (by, at) =>
          isSafe || takesDryRun
            ? wire(by, at, variant, target(at), full(at), takesDryRun && !isSafe)
            : shape
              ? wire(by, at, variant, target(at), {}, false)
              : hasId
                ? wire(
                    by,
                    at,
                    variant,
                    targetOf(path, { ...at, ids: lost(at.ids), imports: lost(at.imports) }),
                    undefined,
                    false,
                  )
                : own.length === 0
                  ? wire(by, at, variant, undefined, undefined, false)
                  : undefined,
      }
    }
    if (kindIn(path) === 'writes') {
      return registry.flatMap((each) =>
        writeKinds.map((kind) => attack(undoOf(each, kind), (at) => at.writes[each.name]?.[kind])),
      )
    }
    if (definition && shape === 'a record')
      return bodiesOf(definition, method === 'POST').map((variant) => attack(variant))
    const isList = isOnRecords && isRead && query === undefined
    const filters = definition && filtersOf(definition).map(({ parameter }) => parameter)
    const known = hasId ? ['fields'] : path.endsWith('/totals') ? filters : undefined
    const queries = definition && isList ? queriesNaming(definition, known) : []
    // The console refuses a sort or a filter by it in the same way; only what it shows is a success.
    return [{}, ...queries].map((variant) => attack(variant))
  })
}

const lost = (all: { readonly [name: string]: string }): { [name: string]: string } =>
  Object.fromEntries(
    Object.entries(all).map(([name, text]) => [
      name,
      /^\d+$/.test(text) ? '999999' : `${text.slice(0, -12)}${'0'.repeat(12)}`,
    ]),
  )

/** Returns a body of this shape, with targets where a member names something. */
function bodyOf(shape: Shape, definition: Definition | undefined, at: Targets): JsonObject {
  const title = definition?.title ?? 'name'
  const named: { readonly [member: string]: Json | undefined } = {
    password: ownersPassword,
    current: ownersPassword,
    own_password: ownersPassword,
    account_id: Number(at.ids.accounts),
    email: at.email,
    hash: at.planHash,
    permissions: [],
    scopes: [],
    field: title,
    values: ['nothing'],
    operations: [{ op: 'create', body: definition ? neededBy(definition, at) : {} }],
    url: 'http://127.0.0.1:1/',
  }
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, type]): [string, Json][] => {
      if (typeof type !== 'string') return [[name, bodyOf(type, definition, at)]]
      const plain = type.replace('?', '') as MemberType
      // A new password is for nobody: it is hashed, which takes as long as a hundred calls.
      if (type.endsWith('?') && (name === 'password' || name === 'next')) return []
      return [[name, named[name] ?? plainValues[plain]]]
    }),
  )
}

const plainValues: { readonly [type in MemberType]: Json } = {
  ...{ text: 'x', texts: ['x'], flag: true, id: 1, count: 1, object: {}, objects: [] },
}

/** The arguments with which a tool is called, by resource and by what is named. */
export function attacksOnTools(names: readonly string[], neededFor: (attack: Attack) => readonly string[]): Attack[] {
  return names.flatMap((name) => {
    const tool = toolNamed(servedResources, name)
    if (!tool) throw new Error(`there is no tool ${name}`)
    const { choice, arguments: known } = tool
    const sets = choice
      ? choice.map((one) => Object.keys(known).filter((argument) => argument === one || !choice.includes(argument)))
      : [Object.keys(known)]
    return sets.flatMap((given) =>
      variantsOf(given, known).map(({ records, says, needs, value }) => {
        const wire = (by: Caller, at: Targets): Wire => {
          const sent = Object.fromEntries(
            given.flatMap((argument): [string, Json][] => {
              const found = value(argument, at)
              if (found === undefined && known[argument]?.required)
                throw new Error(`${name}: there is no value for its argument ${argument}`)
              return found === undefined ? [] : [[argument, found]]
            }),
          )
          return { ...mcp, headers: agentHeaders(by.token as string, name), body: toolCall(name, sent) }
        }
        const attack: Attack = {
          ...{ channel: 'mcp', operation: `mcp.${name}`, isRead: tool.annotations.readOnlyHint === true, records },
          ...{
            call: `${name}${says}`,
            needs: [],
            succeeds: !says.includes('undo') && !says.includes(' delete '),
            real: wire,
            safe: wire,
          },
        }
        return { ...attack, needs: [...new Set([...neededFor(attack), ...needs])] }
      }),
    )
  })
}

type ToolVariant = {
  records?: string
  says: string
  needs: readonly string[]
  value(argument: string, at: Targets): Json | undefined
}

function variantsOf(
  given: readonly string[],
  known: { readonly [name: string]: { schema: JsonSchema } },
): ToolVariant[] {
  const plain = (argument: string, at: Targets, name: string): Json | undefined => {
    switch (argument) {
      case 'records':
        return known.records?.schema.type === 'array' ? undefined : name
      case 'id':
        return Number(at.ids[name])
      case 'external_ref':
        return at.references[name]
      case 'after':
        return at.cursor
      case 'preview':
        return at.preview
      case 'why':
        return 'asked'
      default:
        return ['limit', 'history'].includes(argument) ? 20 : undefined
    }
  }
  const each = servedResources.map((definition) => ({ definition, name: definition.name }))
  if (given.includes('operations')) {
    return each.flatMap(({ definition, name }) =>
      batchOps.map((op) => ({
        records: name,
        says: `: ${op} ${name}`,
        needs: [permission(name, batchOperations[op].action)],
        value: (argument, at) =>
          argument === 'operations' ? [operationsOn(definition, op, at)] : plain(argument, at, name),
      })),
    )
  }
  if (given.includes('undo')) {
    return each.flatMap(({ definition, name }) =>
      writeKinds.map((kind) => ({
        records: name,
        says: `: undo a ${kind} of ${name}`,
        needs: neededToUndo(definition, kind),
        value: (argument, at) => (argument === 'undo' ? at.writes[name]?.[kind] : plain(argument, at, name)),
      })),
    )
  }
  const isByResource = given.includes('records') && known.records?.schema.type !== 'array'
  return (isByResource ? each : each.slice(0, 1)).map(({ name }) => ({
    ...(isByResource ? { records: name } : {}),
    says: isByResource ? ` ${name} by ${given.filter((one) => one !== 'records').join()}` : '',
    needs: [],
    value: (argument, at) => plain(argument, at, name),
  }))
}

/** The permissions to decide about a preview that changes all fields of a resource. */
export const neededToDecideOn = (definition: Definition): string[] => [
  ...new Set([
    ...neededToSee(definition, definition.title),
    permission(definition.name, 'EDIT'),
    ...rightsOf(definition),
  ]),
]
