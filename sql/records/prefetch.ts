import { join, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { isPlanLimited } from '#registry/plans.ts'
import { byKey, exactly, inOrderOf } from '../access.ts'
import type { Prefetch } from '../prefetch.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import { planHeld } from '../system/quota.ts'
import { uniqueFields } from './columns.ts'
import { currencyOf, shown } from './shown.ts'

/** The references and unique values that somebody sent, as far as they are acceptable; null for the others. */
export type Sent = { readonly [field: string]: string | number | null }

/** Of a create: where its references lead, which of its values are taken, and the plan if there is a limit to it. */
export function prefetchForCreate(companyId: number, definition: Definition, sent: Sent): Prefetch | null {
  const plan = isPlanLimited(definition.name) ? [sql`(${planHeld(companyId)}) as plan`] : []
  const columns = [...lookUps(companyId, definition, sent, null), ...plan]
  return columns.length === 0 ? null : { name: `${definition.name}.create`, query: sql`select ${join(columns)}` }
}

/** Of an update: the record, and what it would refer to and be called by; where nothing is sent, what its rules read. */
export function prefetchForUpdate(companyId: number, definition: Definition, id: number, sent: Sent): Prefetch {
  const columns = lookUps(companyId, definition, sent, id)
  return {
    name: `${definition.name}.update`,
    query: sql`select ${join([recordColumns(companyId, definition), ...columns])}
      from (${held(companyId, definition, id, 'for no key update')}) r`,
  }
}

/** Of a delete: the record, locked against references too. */
export const prefetchForDelete = (companyId: number, definition: Definition, id: number): Prefetch => ({
  name: `${definition.name}.delete`,
  query: sql`select ${recordColumns(companyId, definition)} from (${held(companyId, definition, id, 'for update')}) r`,
})

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
const held = (companyId: number, { name }: Definition, id: number, lock: string): Sql =>
  sql`select * from ${byKey(name, companyId, id, lock)} held where deleted_at is null`

const recordColumns = (companyId: number, definition: Definition): Sql =>
  sql`r.version, ${shown(definition, currencyOf(companyId))} as json`

/**
 * A column for each reference: the record it leads to, held so that it cannot be deleted before the transaction ends (a
 * foreign key alone does not protect a soft delete), or null. A column for each unique field: whether it is taken.
 */
function lookUps(companyId: number, definition: Definition, sent: Sent, self: number | null): Sql[] {
  const found = Object.entries(definition.fields).flatMap(([name, field]) => {
    if (field.kind !== 'reference') return []
    const columns = ['id', ...(field.reads ?? [])].map(identifier)
    const only = field.only ? sql` and ${identifier(field.only.column)} = ${field.only.value}` : sql``
    // A rule that reads the record needs it unchanged until the end; existence alone needs it undeleted.
    const hold = field.reads ? 'for share' : 'for key share'
    const value = sql`${sent[name] ?? null}::bigint`
    const id = self !== null && field.reads ? sql`coalesce(${value}, r.${identifier(name)})` : value
    return sql`(select row_to_json(it) from (
        select ${join(columns)} from ${byKey(field.to, companyId, id, hold)} held where deleted_at is null${only}
      ) it) as ${identifier(name)}`
  })
  const takenColumns = uniqueFields(definition).map(
    (name) => sql`${taken(companyId, definition, name, sql`${sent[name] ?? null}::text`, self)}
      as ${identifier(takenColumn(name))}`,
  )
  return [...found, ...takenColumns]
}
