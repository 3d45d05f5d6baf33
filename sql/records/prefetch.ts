import { join, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { once } from '#registry/once.ts'
import { isPlanLimited } from '#registry/plans.ts'
import { byKey, exactly, inOrderOf } from '../access.ts'
import type { Prefetch } from '../prefetch.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { planHeld } from '../system/quota.ts'
import { uniqueFields } from './columns.ts'
import { goingWith, referencesInOrder, treesOf } from './lock-order.ts'
import { currencyOf, shown } from './shown.ts'

/** The references and unique values that somebody sent, as far as they are acceptable; null for the others. */
export type Sent = { readonly [field: string]: string | number | null }

/** Of a create: where its references lead, which of its values are taken, and the plan if there is a limit to it. */
export function prefetchForCreate(companyId: number, definition: Definition, sent: Sent): Prefetch | null {
  const plan = isPlanLimited(definition.name) ? [sql`(${planHeld(companyId)}) as plan`] : []
  const columns = [...plan, ...lookUps(companyId, definition, sent, null)]
  return columns.length === 0 ? null : { name: `${definition.name}.create`, query: sql`select ${join(columns)}` }
}

/**
 * Of an update: what the record would refer to and be called by, and the record. In the lock order: what it refers to is
 * locked before the record is. Where a reference is not sent and rules read the record that it leads to, the reference is read
 * before the record is locked, and shown as `wasColumn`.
 */
export function prefetchForUpdate(companyId: number, definition: Definition, id: number, sent: Sent): Prefetch {
  const { name } = definition
  const references = referencesInOrder(definition).map(([field]) => field)
  const reading = readingReferences(definition)
  const was = reading.map((field) => sql`one.${identifier(field)} as ${identifier(wasColumn(field))}`)
  const refer = (field: string, condition?: Sql) =>
    referred(companyId, definition, field, {
      id: reading.includes(field)
        ? sql`coalesce(${sentId(sent, field)}, one.${identifier(field)})`
        : sentId(sent, field),
      condition,
    })
  const trees = treesOf(definition)
  // A record of the same resource is locked before or behind this one, by their ids.
  const before = references.map(
    (field) => sql`${trees.includes(field) ? refer(field, sql`id < ${id}`) : refer(field)} as ${identifier(field)}`,
  )
  const behind = trees.map((field) => sql`${refer(field, sql`id >= r.id`)} as ${identifier(field)}`)
  const shownReferences = references.map((field) =>
    trees.includes(field)
      ? sql`coalesce(referred.${identifier(field)}, behind.${identifier(field)}) as ${identifier(field)}`
      : sql`referred.${identifier(field)}`,
  )
  const one =
    reading.length > 0
      ? sql`(select ${id}::bigint as id) self left join lateral ${byKey(name, companyId, sql`self.id`)} one on true`
      : sql`(select ${id}::bigint as id) self`
  const columns = [
    ...shownReferences,
    ...reading.map((field) => sql`referred.${identifier(wasColumn(field))}`),
    ...takenColumns(companyId, definition, sent, id),
  ]
  return {
    name: `${name}.update`,
    query: sql`with referred as materialized (select ${join([sql`self.id as self`, ...was, ...before])} from ${one})
      select ${join([recordColumns(companyId, definition), ...columns])}
      from referred cross join lateral (${held(companyId, definition, sql`referred.self`, 'for no key update')}) r
      ${behind.length > 0 ? sql`cross join lateral (select ${join(behind)}) behind` : sql``}`,
  }
}

/**
 * Of a delete: the record, locked against references too. Where records of its resource refer to each other, those that
 * refer to it are locked with it, in the order of their ids; `family` are the ids of all of them. With the plan, if it
 * limits anything that may go.
 */
export function prefetchForDelete(companyId: number, definition: Definition, id: number): Prefetch {
  const { name } = definition
  const plan = goingWith(definition).some(isPlanLimited) ? [sql`(${planHeld(companyId)}) as plan`] : []
  const record = join([recordColumns(companyId, definition), ...plan])
  const trees = treesOf(definition)
  if (trees.length === 0)
    return {
      name: `${name}.delete`,
      query: sql`select ${record} from (${held(companyId, definition, id, 'for update')}) r`,
    }
  const children = trees.map((field) => {
    const reference = identifier(field)
    return sql`select id from (
          select id from ${identifier(name)} where company_id = ${companyId} and ${exactly(reference, sql`${id}::bigint`)} and deleted_at is null
          ${inOrderOf(reference)}
        ) child`
  })
  return {
    name: `${name}.delete`,
    query: sql`with family as materialized (
        select r.* from (select distinct id from (select ${id}::bigint as id union all ${join(children, ' union all ')}) each order by id) wanted
        cross join lateral ${byKey(name, companyId, sql`wanted.id`, 'for update')} r
      )
      select ${record}, (select json_agg(id) from family) as family from family r where r.id = ${id} and r.deleted_at is null`,
  }
}

/** What the references and unique values of a record lead to; of those alone that are given. */
export const lookUp = (companyId: number, definition: Definition, given: Sent): Statement =>
  statement(sql`select ${join(lookUps(companyId, definition, given, null))}`, `${definition.name}.look-up`)

/** The name of the column that says whether another live record has the value of a unique field. */
export const takenColumn = (field: string): string => `${field}__taken`

/** Whether a live record other than `self` has the value of a unique field. */
export const taken = (companyId: number, { name }: Definition, field: string, value: Sql, self: number | null): Sql => {
  const key = sql`lower(other.${identifier(field)})`
  return sql`exists (
        select from ${identifier(name)} other
        where other.company_id = ${companyId} and ${exactly(key, sql`lower(${value})`)} and other.deleted_at is null
          and other.id <> ${self ?? 0} ${inOrderOf(key)}
      )`
}

/** Locked below and shown above: what is shown, and what it leads to, is the row as it was when the lock was got. */
const held = (companyId: number, { name }: Definition, id: number | Sql, lock: string): Sql =>
  sql`select * from ${byKey(name, companyId, id, lock)} held where deleted_at is null`

const recordColumns = (companyId: number, definition: Definition): Sql =>
  sql`r.version, ${shown(definition, currencyOf(companyId))} as json`

/** The references that lead to records which the rules of a resource read. */
export const readingReferences = once((definition: Definition): readonly string[] =>
  referencesInOrder(definition)
    .map(([field]) => field)
    .filter((name) => {
      const field = definition.fields[name]
      return field?.kind === 'reference' && field.reads !== undefined
    }),
)

/** The name of the column that has a reference as it was before its record was locked. */
export const wasColumn = (field: string): string => `${field}__was`

/** A column for each reference, in the lock order, and one for each unique field: whether its value is taken. */
const lookUps = (companyId: number, definition: Definition, sent: Sent, self: number | null): Sql[] => [
  ...referencesInOrder(definition).map(
    ([field]) => sql`${referred(companyId, definition, field, { id: sentId(sent, field) })} as ${identifier(field)}`,
  ),
  ...takenColumns(companyId, definition, sent, self),
]

const sentId = (sent: Sent, field: string): Sql => sql`${sent[field] ?? null}::bigint`

/**
 * The record that a reference leads to, locked so that it cannot be deleted before the transaction ends (a foreign key
 * alone does not protect a soft delete), or null.
 */
function referred(
  companyId: number,
  { fields }: Definition,
  name: string,
  { id, condition }: { id: Sql; condition?: Sql | undefined },
): Sql {
  const field = fields[name]
  if (field?.kind !== 'reference') throw new Error(`${name} is no reference`)
  const columns = ['id', ...(field.reads ?? [])].map(identifier)
  const only = field.only ? sql` and ${identifier(field.only.column)} = ${field.only.value}` : sql``
  // A rule that reads the record needs it unchanged until the end; existence alone needs it undeleted.
  const hold = field.reads ? 'for share' : 'for key share'
  return sql`(select row_to_json(it) from (
        select ${join(columns)} from ${byKey(field.to, companyId, condition ? sql`${id} and ${condition}` : id, hold)} held where deleted_at is null${only}
      ) it)`
}

const takenColumns = (companyId: number, definition: Definition, sent: Sent, self: number | null): Sql[] =>
  uniqueFields(definition).map(
    (name) => sql`${taken(companyId, definition, name, sql`${sent[name] ?? null}::text`, self)}
      as ${identifier(takenColumn(name))}`,
  )
