import { isCompanyField } from '#registry/common.ts'
import type { BooksColumn, BooksColumns, Definition } from '#registry/definition.ts'
import { kindOf, referenceOf } from '#registry/fields/index.ts'
import { unitsOf } from '#registry/fields/numeral.ts'
import { minorDigits } from '#registry/iso-codes.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { permission } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { listNeededRights } from './visible.ts'

/** The file for the bookkeeper: its columns as `list.books` names them, days of ISO 8601, amounts with a point. */

/** A field at the end of a path, its resource, and the resources that the path leads to, that one last. */
type FieldPath = { field: string; owner: Definition; through: readonly Definition[] }

/** Follows a path such as `invoice_id.client_id.name`. Throws if it leads nowhere. */
function followPath(owner: Definition, path: string): FieldPath {
  const [field = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    if (!owner.fields[field] && !isCompanyField(field)) throw new Error(`${owner.name} has no ${field}`)
    return { field, owner, through: [] }
  }
  const target = definitionOf(registry, referenceOf(owner.fields[field])?.to ?? '')
  if (!target) throw new Error(`${owner.name}.${field} is no reference`)
  const inside = followPath(target, rest.join('.'))
  return { ...inside, through: [target, ...inside.through] }
}

const pathsOf = (column: BooksColumn): readonly string[] =>
  typeof column === 'string' ? [column] : [...column.add, ...column.less]

export const pathsOfBooks = (columns: BooksColumns): string[] => Object.values(columns).flatMap(pathsOf)

/** Returns the permissions that the whole file needs besides that to see its records. */
export const rightsOfBooks = (definition: Definition, columns: BooksColumns): string[] => [
  ...new Set(
    pathsOfBooks(columns).flatMap((path) => {
      const { through, owner, field } = followPath(definition, path)
      return [...through.map(({ name }) => permission(name, 'VIEW')), ...listNeededRights(owner, [field])]
    }),
  ),
]

/** Returns the cells of a record, in which the referred records stand in the place of their ids. */
export function formatBooks(
  definition: Definition,
  columns: BooksColumns,
  record: JsonObject,
  currency: string,
): Json[] {
  const valueAt = (path: string): Json => {
    if (isCompanyField(path)) return currency
    return path.split('.').reduce<Json>((value, name) => (isObject(value) ? (value[name] ?? null) : null), record)
  }
  const isMoney = (path: string): boolean => {
    const { owner, field } = followPath(definition, path)
    const known = owner.fields[field]
    return known !== undefined && kindOf(known).amount !== undefined
  }
  const amount = (minor: Json): Json => (minor === null ? null : unitsOf(minor as number, minorDigits(currency)))
  return Object.values(columns).map((column) => {
    if (typeof column === 'string') return isMoney(column) ? amount(valueAt(column)) : valueAt(column)
    const sum = (paths: readonly string[]) => paths.reduce((total, path) => total + Number(valueAt(path)), 0)
    return amount(sum(column.add) - sum(column.less))
  })
}

/** Returns the first and the last day of the month of a day and of those before it, the newest first. */
export function monthsUpTo(today: string, count: number): { from: string; to: string }[] {
  const [year, month] = today.split('-').map(Number) as [number, number]
  const dayOf = (months: number, day: number) =>
    new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10)
  return Array.from({ length: count }, (_, ago) => ({ from: dayOf(-ago, 1), to: dayOf(1 - ago, 0) }))
}
