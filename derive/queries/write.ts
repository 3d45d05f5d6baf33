import { join, raw } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { type Field, kindOf } from '#registry/kinds/index.ts'
import { columnsOf } from '../tables.ts'
import { currencyOf, shown } from './shown.ts'
import { identifier, type Statement, sql, statement } from './statement.ts'
import { tally } from './tally.ts'

/** Who writes, for the history. */
export type Author = { companyId: number; accountId: number | null; tokenId: number | null; door: string }

/** What a write leaves behind. */
export type WrittenRow = { id: number; version: number; json: string }

/** A live record, locked against other writers until the transaction ends. A deleter locks out references too. */
export const lockRecord = (
  companyId: number,
  definition: Definition,
  id: number,
  why: 'update' | 'delete',
): Statement =>
  statement(
    sql`select r.version, ${shown(definition, currencyOf(companyId))} as json
    from ${identifier(definition.name)} r
    where r.company_id = ${companyId} and r.id = ${id} and r.deleted_at is null
    ${raw(why === 'delete' ? 'for update' : 'for no key update')}`,
    `${definition.name}.lock.${why}`,
  )

export function insertRecord(author: Author, definition: Definition, record: JsonObject): Statement {
  const columns = columnsOf(definition).filter(([, field]) => field.kind !== 'id' && field.kind !== 'instant')
  return statement(
    sql`with r as (
      insert into ${identifier(definition.name)} (company_id, ${join(columns.map(([name]) => identifier(name)))})
      values (${author.companyId}, ${join(columns.map(([name, field]) => parameter(field, record[name] ?? null)))})
      returning *
    ), tallied as (${tally(definition.name, 1)}
    ), noted as (${note(author, definition.name, 'created', sql`select id, null::json from r`)})
    select r.id, r.version, ${shown(definition, currencyOf(author.companyId))} as json from r`,
    `${definition.name}.insert`,
  )
}

/** Writes the changed columns alone, so that two callers who change different ones both keep what they wrote. */
export function updateRecord(
  author: Author,
  definition: Definition,
  id: number,
  changed: JsonObject,
  changes: JsonObject,
): Statement {
  const assignments = Object.entries(changed).map(
    ([name, value]) => sql`${identifier(name)} = ${parameter(definition.fields[name] as Field, value)}`,
  )
  return statement(
    sql`with r as (
      update ${identifier(definition.name)} set ${join(assignments)}, version = version + 1, updated_at = now()
      where company_id = ${author.companyId} and id = ${id}
      returning *
    ), noted as (${note(author, definition.name, 'changed', sql`select id, ${JSON.stringify(changes)}::json from r`)})
    select r.id, r.version, ${shown(definition, currencyOf(author.companyId))} as json from r`,
    // Any choice of columns can come; only those of which there are few are prepared.
    assignments.length <= 2 ? `${definition.name}.update:${shapeOf(definition, Object.keys(changed))}` : undefined,
  )
}

/** A row of history for each record that `records` (id, changes) yields. */
export const note = (author: Author, records: string, action: string, of: ReturnType<typeof sql>) =>
  sql`insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select ${author.companyId}::bigint, ${author.accountId}::bigint, ${author.tokenId}::bigint, ${author.door}, ${records}, ${action}, noted.*
    from (${of}) noted`

/** What a write has to look up before it can be checked. */
export type Lookups = {
  /** Reference fields and the ids they would hold. */
  references: { readonly [field: string]: number }
  /** Unique fields and the values they would hold. */
  uniques: { readonly [field: string]: string }
  /** The record itself, which may keep what it has. */
  self: number | null
}

/**
 * One row: for each reference the record it leads to, held so that it cannot be deleted before this transaction ends
 * (a foreign key alone does not protect a soft delete), or null; for each unique field whether it is taken.
 */
export function lookUp(companyId: number, definition: Definition, { references, uniques, self }: Lookups): Statement {
  const found = Object.entries(references).map(([name, id]) => {
    const field = definition.fields[name]
    if (field?.kind !== 'reference') throw new Error(`${name} is no reference`)
    const columns = ['id', ...(field.reads ?? [])].map(identifier)
    const only = field.only ? sql` and ${identifier(field.only.column)} = ${field.only.value}` : sql``
    // A rule that reads the record needs it unchanged until the end; existence alone needs it undeleted.
    const hold = field.reads ? 'for share' : 'for key share'
    return sql`(select row_to_json(it) from (
      select ${join(columns)} from ${identifier(field.to)}
      where company_id = ${companyId} and id = ${id} and deleted_at is null${only} ${raw(hold)}
    ) it) as ${identifier(name)}`
  })
  const taken = Object.entries(uniques).map(
    ([name, value]) => sql`exists (
      select from ${identifier(definition.name)}
      where company_id = ${companyId} and lower(${identifier(name)}) = lower(${value}) and deleted_at is null
        and id <> ${self ?? 0}
    ) as ${identifier(`${name}__taken`)}`,
  )
  const shape = shapeOf(definition, [...Object.keys(references), ...Object.keys(uniques)])
  return statement(sql`select ${join([...found, ...taken])}`, `${definition.name}.look-up:${shape}`)
}

/** Which of a kind's fields a statement is about, as a short name: a bit for each, in hexadecimal. */
const shapeOf = (definition: Definition, fields: readonly string[]): string =>
  Object.keys(definition.fields)
    .reduce((bits, name, index) => (fields.includes(name) ? bits | (1n << BigInt(index)) : bits), 0n)
    .toString(16)

/** One writer at a time may re-hang the tree of a reference; two at once could close a circle that neither sees. */
export const lockTree = (companyId: number, table: string, field: string): Statement =>
  statement(
    sql`select pg_advisory_xact_lock(hashtext(${`${table}.${field}`}), ${companyId % 2 ** 31}::int)`,
    'tree.lock',
  )

/** Whether following `field` from the record `from` leads to the record `to`. */
export const leadsTo = (companyId: number, table: string, field: string, from: number, to: number): Statement =>
  statement(
    sql`with recursive chain as (
      select id, ${identifier(field)} as next from ${identifier(table)}
      where company_id = ${companyId} and id = ${from}
      union
      select r.id, r.${identifier(field)} from chain
      join ${identifier(table)} r on r.company_id = ${companyId} and r.id = chain.next
    ) select exists (select from chain where id = ${to}) as leads`,
    `${table}.${field}.leads`,
  )

/** The next running number of a kind of record. The row stays locked until the transaction ends. */
export const nextNumber = (companyId: number, records: string): Statement =>
  statement(
    sql`insert into numbers (company_id, records, last) values (${companyId}, ${records}, 1)
    on conflict (company_id, records) do update set last = numbers.last + 1
    returning last`,
    'numbers.next',
  )

/** The value as a parameter of its column's type. */
function parameter(field: Field, value: Json) {
  const type = kindOf(field).column(field)
  return type === 'json' ? sql`${value === null ? null : JSON.stringify(value)}::json` : sql`${value}`
}
