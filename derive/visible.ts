import type { Definition, ListWords } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import {
  approvalPermissions,
  fieldPermissions,
  permission,
  permissionOfRight,
  viewPermissions,
} from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { filtersOf } from './parameters.ts'

/**
 * Fields with a right of their own. `lacks` are the missing permissions to see fields and resources. Null changes
 * nothing. Decisions, Field rights.
 */
export type LackedRights = readonly string[] | null

/** Returns the permissions to see fields and resources, and to approve records, that are not among these. */
export const lackedRights = (permissions: readonly string[]): string[] =>
  [...fieldPermissions, ...viewPermissions(registry), ...approvalPermissions(registry)].filter(
    (one) => !permissions.includes(one),
  )

/** True if all of the resource is withheld. */
export const isUnseen = ({ name }: Definition, lacks: LackedRights): boolean =>
  lacks?.includes(permission(name, 'VIEW')) ?? false

/** True if nothing of the resource is withheld. */
export const isWhole = (definition: Definition, lacks: LackedRights): boolean =>
  !isUnseen(definition, lacks) && listWithheld(definition, lacks).length === 0

/** Returns the names of the withheld fields. */
const listWithheld = ({ fields }: Definition, lacks: LackedRights): string[] =>
  lacks === null || lacks.length === 0
    ? []
    : Object.entries(fields).flatMap(([name, { right }]) =>
        right && lacks.includes(permissionOfRight(right)) ? [name] : [],
      )

/** Returns the permissions that are needed to name these fields. */
export const listNeededRights = ({ fields }: Definition, names: readonly string[]): string[] => [
  ...new Set(
    names.flatMap((name) => {
      const right = Object.hasOwn(fields, name) ? fields[name]?.right : undefined
      return right ? [permissionOfRight(right)] : []
    }),
  ),
]

/** Returns the permissions that a body of a record needs: each sent member names its field, whatever the value. */
export const rightsOfBody = (definition: Definition, body: Json | undefined): string[] =>
  isObject(body) ? listNeededRights(definition, Object.keys(body)) : []

/**
 * Returns the permissions of the fields that a query selects, sorts by or filters by. The query may be invalid
 * otherwise, so that a mistake elsewhere does not delay the refusal.
 */
export function rightsOfQuery(definition: Definition | undefined, query: string): string[] {
  if (!definition || query === '') return []
  const sent = [...new URLSearchParams(query)]
  const listed = sent
    .filter(([name]) => name === 'fields' || name === 'sort')
    .flatMap(([, value]) => value.split(',').map((item) => item.replace(/^[\s-]+/, '').trim()))
  const filtered = filtersOf(definition)
    .filter(({ parameter }) => sent.some(([name]) => name === parameter))
    .map(({ field }) => field)
  return listNeededRights(definition, [...listed, ...filtered])
}

/** Returns the resource without what is withheld. Columns, inputs and filters follow from it. */
export function visibleDefinition(definition: Definition, lacks: LackedRights): Definition {
  const withheld = listWithheld(definition, lacks)
  if (withheld.length === 0) return definition
  const isVisible = (name: string): boolean => !withheld.includes(name)
  const { alike, list } = definition
  return {
    ...definition,
    ...(alike && { alike: alike.filter(isVisible) }),
    ...(list && { list: visibleList(list, isVisible) }),
    fields: omitMembers(definition.fields, withheld),
    search: definition.search.filter(isVisible),
    filters: definition.filters.filter(isVisible),
  }
}

const visibleList = ({ due, ...list }: ListWords, isVisible: (name: string) => boolean): ListWords => ({
  ...list,
  columns: list.columns.filter(isVisible),
  ...(list.totals && { totals: list.totals.filter(isVisible) }),
  ...(due && [due.on, due.open, ...Object.keys(due.when)].every(isVisible) && { due }),
})

/** Removes what is withheld from records as JSON, one or many separated by commas. */
export function visibleRecords(definition: Definition, lacks: LackedRights, json: string): string {
  const withheld = listWithheld(definition, lacks)
  if (withheld.length === 0) return json
  // In JSON a member that is undefined is absent. Records keep their shape this way, which is faster than to copy them.
  const absent = Object.fromEntries(withheld.map((name) => [name, undefined]))
  return mapObjects(json, (record) => Object.assign(record, absent))
}

/** Removes what is withheld from changes of any resources as JSON, separated by commas. */
export function visibleChanges(lacks: LackedRights, json: string): string {
  if (lacks === null || lacks.length === 0) return json
  return mapObjects(json, (change) => {
    const cut = (members: Json = null): Json =>
      isObject(members) ? visibleMembers(change.records as string, lacks, members) : members
    return { ...change, changes: cut(change.changes), record: cut(change.record) }
  })
}

const lengthStep = 64

/**
 * Returns the length of a body in bytes, as it is shown. If the body is not shown whole, it is rounded up: the exact length
 * would tell the length of what is withheld.
 */
export const shownLength = (bytes: number, isWhole: boolean): number =>
  isWhole ? bytes : Math.ceil(bytes / lengthStep) * lengthStep

const mapObjects = (json: string, map: (object: JsonObject) => object): string =>
  JSON.stringify((JSON.parse(`[${json}]`) as JsonObject[]).map(map)).slice(1, -1)

/** Removes what is withheld from members named like fields of a resource. */
export function visibleMembers<Members extends { readonly [name: string]: unknown }>(
  records: string,
  lacks: LackedRights,
  members: Members,
): Members {
  const definition = definitionOf(registry, records)
  const withheld = definition ? listWithheld(definition, lacks) : []
  return withheld.length === 0 ? members : omitMembers(members, withheld)
}

/** Returns the names of fields of a resource that are not withheld. */
export function visibleNames(records: string, lacks: LackedRights, names: readonly string[]): string[] {
  const definition = definitionOf(registry, records)
  if (!definition) return [...names]
  const withheld = isUnseen(definition, lacks) ? names : listWithheld(definition, lacks)
  return names.filter((name) => !withheld.includes(name))
}

const omitMembers = <Members extends { readonly [name: string]: unknown }>(
  members: Members,
  names: readonly string[],
): Members => Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name))) as Members
