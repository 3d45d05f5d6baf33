import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import { memoize } from '#registry/memoize.ts'
import { isPlanLimited } from '#registry/subscription.ts'
import { byKey, equalKey, equalsIndexed, inOrderOf, liveWith } from '../access.ts'
import { type Expressions, eitherSql, identifier, type Prefetch, query, type Statement, sql } from '../statement.ts'
import { planHeld, usedNow } from '../system/quota.ts'
import { shapeOf, uniqueFields } from './columns.ts'
import { goingWith, holdOf, referencesInOrder, treesOf } from './lock-order.ts'
import { currencyOf, recordJson } from './record-json.ts'

/** The references and unique values of a request, if they are acceptable; null for the others. */
export type SentValues = { readonly [field: string]: string | number | null }

/** A row of a set for the look-up: its record if it has one, and its references and unique values. */
export type LookUpRow = { id?: number | null; sent: SentValues }

/**
 * Prefetches for creates: their ids, the referenced records, the holders of their unique values, the company's
 * currency, and the plan if it limits them, with the count of live records. All look-ups of a set come as one row whose `rows` have their places. Where
 * companies are distributed the ids are drawn later: an id of a single server would contain its number, and exceed
 * 2^53.
 */
export function prefetchForCreate(
  companyId: number,
  definition: Definition,
  rows: readonly LookUpRow[],
  waits: WaitsForLocks = true,
): Prefetch {
  const needs = needsOf(definition, rows)
  return {
    name: `${definition.name}.create:${shapeOf(lookedUp(definition), needs)}`,
    of: definition,
    values: { companyId, target: rowsJson(needs, rows) },
    query({ companyId, target }, among) {
      const newId = eitherSql(sql`nextval(${raw(`'${definition.name}_id_seq'`)})`, () => sql`null::bigint`)
      const plan = sql`(${planHeld(companyId, orSkip('for share', waits))}) as plan, (${usedNow(companyId, definition.name)}) as used`
      const columns = [
        sql`${currencyOf(companyId)} as ${identifier(currencyColumn)}`,
        ...(isPlanLimited(definition.name) ? [plan] : []),
        ...lookUps(companyId, definition, needs, waits),
      ]
      // Not part of `columns`, because a joined expression has only one form (no `eitherSql`).
      const rows = sql`select given.place, ${newId} as ${identifier(newIdColumn)}, ${join(columns)} from ${givenRows(definition, needs, target)}`
      return rowsOf(sql`${rows}${onlyAmong(among)}`)
    },
  }
}

/**
 * Prefetches for updates: the referenced records, the holders of unique values, and the records. They are locked in the
 * lock order, referenced records first. If rules read a reference that is not sent, it is read before its record is
 * locked, and returned as `wasColumn`.
 */
export function prefetchForUpdate(
  companyId: number,
  definition: Definition,
  rows: readonly LookUpRow[],
  waits: WaitsForLocks = true,
): Prefetch {
  const needs = needsOf(definition, rows)
  return {
    name: `${definition.name}.update:${shapeOf(lookedUp(definition), needs)}`,
    of: definition,
    values: { companyId, target: rowsJson(needs, rows) },
    query: (given, among) => lookUpUpdates(given, definition, { needs, waits, among }),
  }
}

function lookUpUpdates(
  { companyId, target }: Expressions<Prefetch['values']>,
  definition: Definition,
  { needs, waits, among }: { needs: readonly string[]; waits: WaitsForLocks; among: Sql | undefined },
): Sql {
  const { name } = definition
  const reading = readingReferences(definition)
  const references = referencesInOrder(definition).filter(([field]) => needs.includes(field) || reading.includes(field))
  const trees = references.filter(([, { to }]) => to === name)
  const was = reading.map((field) => sql`one.${identifier(field)} as ${identifier(wasColumn(field))}`)
  const idOf = (field: string) => (needs.includes(field) ? sentAs('given', field) : sql`null::bigint`)
  // A record of the same resource is locked before or after this one, by their ids.
  const before = references.flatMap(([field, type]) => {
    const id = reading.includes(field) ? sql`coalesce(${idOf(field)}, one.${identifier(field)})` : idOf(field)
    const condition = type.to === name ? sql`id < given.id` : undefined
    const both = type.settles ? lockBoth(companyId, [field, type], { id: idOf(field), waits }) : []
    return [...both, sql`${lockReferenced(companyId, type, { id, condition, waits })} as ${identifier(field)}`]
  })
  const behind = trees.map(([field, type]) => {
    const id = sentAs('referred', field)
    return sql`${lockReferenced(companyId, type, { id, condition: sql`id >= r.id`, waits })} as ${identifier(field)}`
  })
  const shownReferences = references.map(([field, { to }]) =>
    to === name
      ? sql`coalesce(referred.${identifier(field)}, behind.${identifier(field)}) as ${identifier(field)}`
      : sql`referred.${identifier(field)}`,
  )
  const one = reading.length > 0 ? sql` left join lateral ${byKey(name, companyId, sql`given.id`)} one on true` : sql``
  const columns = [
    sql`referred.place, r.id`,
    recordColumns(companyId, definition),
    ...shownReferences,
    ...reading.map((field) => sql`referred.${identifier(wasColumn(field))}`),
    ...holderColumns(companyId, definition, needs, 'referred'),
  ]
  return sql`with referred as materialized (
        select ${join([sql`given.*`, ...was, ...before])} from ${givenRows(definition, needs, target)}${one}${onlyAmong(among)}
      ) ${rowsOf(sql`select ${join(columns)}
      from referred cross join lateral (${lockRecord(companyId, definition, sql`referred.id`, orSkip('for no key update', waits))}) r
      ${behind.length > 0 ? sql`cross join lateral (select ${join(behind)}) behind` : sql``}`)}`
}

/** Whether to wait for records that another transaction has locked. Else they are skipped, as if they did not exist. */
export type WaitsForLocks = boolean
const orSkip = (lock: string, waits: WaitsForLocks): string => (waits ? lock : `${lock} skip locked`)

const onlyAmong = (places: Sql | undefined): Sql => (places ? sql` where given.place = any (${places})` : sql``)

/** Returns all rows as one, for a statement that returns one row. */
const rowsOf = (rows: Sql): Sql => sql`select json_agg(looked) as rows from (${rows}) looked`

/** Returns the references and unique fields that any of the rows sends. The others are not looked up. */
function needsOf(definition: Definition, rows: readonly LookUpRow[]): readonly string[] {
  const fields = lookedUp(definition)
  const needs = fields.filter((field) => rows.some(({ sent }) => (sent[field] ?? null) !== null))
  // Few texts, so that callers cannot fill a connection with plans: those of up to two look-ups, and that of all.
  return needs.length <= 2 ? needs : fields
}

/** Returns the references, in the lock order, and the unique fields. */
export const lookedUp = memoize((definition: Definition): readonly string[] => [
  ...referencesInOrder(definition).map(([field]) => field),
  ...uniqueFields(definition),
])

/** Returns the rows as JSON: their place, record and the needed values. */
const rowsJson = (needs: readonly string[], rows: readonly LookUpRow[]): string =>
  JSON.stringify(
    rows.map(({ id = null, sent }, place) => {
      const row: { [column: string]: string | number | null } = { place, id }
      for (const field of needs) row[sentColumn(field)] = sent[field] ?? null
      return row
    }),
  )

/** Returns the rows as the source `given`. */
function givenRows(definition: Definition, needs: readonly string[], rows: Sql): Sql {
  const type = (field: string) => (referenceOf(definition.fields[field]) ? 'bigint' : 'text')
  const columns = ['place int', 'id bigint', ...needs.map((field) => `${sentColumn(field)} ${type(field)}`)]
  return sql`json_to_recordset(${rows}::json) as given (${raw(columns.join(', '))})`
}

const sentColumn = (field: string): string => `${field}__sent`
const sentAs = (source: string, field: string): Sql => raw(`${source}.${sentColumn(field)}`)

/**
 * Prefetches for a delete: the record, locked against references too. If its resource has a tree, the records that
 * refer to it are locked with it, in the order of their ids; `family` are the ids of all of them. It includes the plan,
 * if that limits a resource that may be removed.
 */
export function prefetchForDelete(companyId: number, definition: Definition, id: number): Prefetch {
  return {
    name: `${definition.name}.delete`,
    of: definition,
    values: { companyId, target: id },
    query: (given) => lookUpRemoved(given, definition),
  }
}

function lookUpRemoved({ companyId, target: id }: Expressions<Prefetch['values']>, definition: Definition): Sql {
  const { name } = definition
  const plan = goingWith(definition).some(isPlanLimited) ? [sql`(${planHeld(companyId)}) as plan`] : []
  const record = join([recordColumns(companyId, definition), ...plan])
  const trees = treesOf(definition)
  const settling = referencesInOrder(definition).filter(([, { settles }]) => settles)
  if (settling.length > 0) {
    const was = settling.flatMap(([field, type]) => {
      const held = sql`one.${identifier(field)}`
      const lock = lockReferenced(companyId, type, { id: held, waits: true })
      return [sql`${held} as ${identifier(wasColumn(field))}`, sql`${lock} as ${identifier(field)}`]
    })
    return sql`with settled as materialized (select ${join(was)} from ${byKey(name, companyId, id)} one)
      select ${record}, ${join(settling.map(([field]) => identifier(`settled.${wasColumn(field)}`)))}
      from settled cross join lateral (${lockRecord(companyId, definition, id, 'for update')}) r`
  }
  if (trees.length === 0) return sql`select ${record} from (${lockRecord(companyId, definition, id, 'for update')}) r`
  const children = trees.map((field) => {
    const reference = identifier(field)
    return sql`select id from (
          select id from ${identifier(name)} where company_id = ${companyId} and ${equalsIndexed(reference, sql`${id}::bigint`)} and deleted_at is null
          ${inOrderOf(reference)}
        ) child`
  })
  return sql`with family as materialized (
        select r.* from (select distinct id from (select ${id}::bigint as id union all ${join(children, ' union all ')}) each order by id) wanted
        cross join lateral ${byKey(name, companyId, sql`wanted.id`, 'for update')} r
      )
      select ${record}, (select json_agg(id) from family) as family from family r where r.id = ${id} and r.deleted_at is null`
}

/** Looks up the given references and unique values of a record. */
export function lookUp(companyId: number, definition: Definition, sent: SentValues): Statement {
  const needs = needsOf(definition, [{ sent }])
  return query(`${definition.name}.look-up:${shapeOf(lookedUp(definition), needs)}`)`
    select ${join(lookUps(companyId, definition, needs))} from ${givenRows(definition, needs, sql`${rowsJson(needs, [{ sent }])}`)}`
}

/** Names of the columns for the id of a new record, and for the currency of its company. */
export const newIdColumn = 'id__new'
export const currencyColumn = 'company__currency'

/** Returns the name of the column for the live record with the value of a unique field, other than the row's own. */
export const holderColumn = (field: string): string => `${field}__holder`
/** Returns the name of the column that has equal keys for values that count as one. */
export const keyColumn = (field: string): string => `${field}__key`

/**
 * The record is locked by the inner query and returned by the outer one. So the result, and its references, are of the
 * row at the time of the lock.
 */
const lockRecord = (companyId: number | Sql, { name }: Definition, id: number | Sql, lock: string): Sql =>
  sql`select * from ${byKey(name, companyId, id, lock)} held where deleted_at is null`

const recordColumns = (companyId: number | Sql, definition: Definition): Sql =>
  sql`r.version, ${recordJson(definition, currencyOf(companyId))} as json`

/** Returns the references to records that a write of the resource reads: for its rules, or to settle them. */
export const readingReferences = memoize((definition: Definition): readonly string[] =>
  referencesInOrder(definition).flatMap(([field, { reads, settles }]) => (reads || settles ? [field] : [])),
)

/** Returns the references by which a write of the resource settles records. */
export const settlingReferences = memoize((definition: Definition): readonly string[] =>
  referencesInOrder(definition).flatMap(([field, { settles }]) => (settles ? [field] : [])),
)

/** Returns the name of the column for a reference as it was before its record was locked. */
export const wasColumn = (field: string): string => `${field}__was`

/** Returns a column for each needed reference, in the lock order, and two for each unique value. */
const lookUps = (
  companyId: number | Sql,
  definition: Definition,
  needs: readonly string[],
  waits: WaitsForLocks = true,
): Sql[] => [
  ...referencesInOrder(definition)
    .filter(([field]) => needs.includes(field))
    .map(
      ([field, type]) =>
        sql`${lockReferenced(companyId, type, { id: sentAs('given', field), waits })} as ${identifier(field)}`,
    ),
  ...holderColumns(companyId, definition, needs, 'given'),
]

/**
 * Returns the referenced record, or null. It is locked, so that it cannot be deleted before the transaction ends: a
 * foreign key alone does not prevent a soft delete.
 */
function lockReferenced(
  companyId: number | Sql,
  type: ReferenceField,
  { id, condition, waits }: { id: Sql; condition?: Sql | undefined; waits: WaitsForLocks },
): Sql {
  const { to, reads, only } = type
  const columns = ['id', ...(reads ?? [])].map(identifier)
  const eligible = only ? sql` and ${identifier(only.column)} = ${raw(`'${only.value}'`)}` : sql``
  const hold = orSkip(holdOf(type), waits)
  return sql`(select row_to_json(it) from (
        select ${join(columns)} from ${byKey(to, companyId, condition ? sql`${id} and ${condition}` : id, hold)} held where deleted_at is null${eligible}
      ) it)`
}

/**
 * Locks the record that a reference leaves and the one that it comes to, by their ids: both are settled.
 */
const lockBoth = (
  companyId: Sql,
  [field, type]: [string, ReferenceField],
  { id, waits }: { id: Sql; waits: WaitsForLocks },
): Sql[] =>
  ['least', 'greatest'].map((which) => {
    const lock = lockReferenced(companyId, type, { id: sql`${raw(which)}(${id}, one.${identifier(field)})`, waits })
    return sql`${lock} as ${identifier(`${field}__${which}`)}`
  })

const holderColumns = (companyId: number | Sql, definition: Definition, needs: readonly string[], source: string) =>
  uniqueFields(definition)
    .filter((field) => needs.includes(field))
    .flatMap((field) => {
      const value = sentAs(source, field)
      return [
        sql`${equalKey(value)} as ${identifier(keyColumn(field))}`,
        sql`(
        select other.id from ${liveWith(definition.name, companyId, field, value)} other
        where other.id is distinct from ${raw(source)}.id limit 1
      ) as ${identifier(holderColumn(field))}`,
      ]
    })
