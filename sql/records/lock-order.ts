import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition, Match, Relation } from '#registry/definition.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import { memoize } from '#registry/memoize.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { byKey, equalsIndexed, inOrderOf } from '../access.ts'
import { type Expressions, identifier, prepareStatement, query, type Statement, sql } from '../statement.ts'
import { referencesOf } from './columns.ts'

/**
 * The order in which every write locks records: by resource, referenced ones first, then by id. A waiting write holds
 * only locks that come before the one it waits for, so no two writes wait for each other. Decisions, Locks.
 */

/** The strength of a record's lock: for a reference, for a rule that reads the record, for a write, for a removal. */
export const holdStrengths = ['for key share', 'for share', 'for no key update', 'for update'] as const
export type Hold = (typeof holdStrengths)[number]

/**
 * Returns the lock of a record referred to. One that is settled may be written; a rule that reads one needs it unchanged
 * until the commit; existence alone needs it undeleted.
 */
export const holdOf = ({ settles, reads }: ReferenceField): Hold =>
  settles ? 'for no key update' : reads ? 'for share' : 'for key share'

/**
 * Returns the names of all resources in the lock order. A reference within a resource makes a tree and does not count.
 */
export const lockOrder = memoize((definitions: readonly Definition[]): readonly string[] => {
  const ordered: string[] = []
  const visit = (definition: Definition, path: readonly string[]): void => {
    if (ordered.includes(definition.name)) return
    if (path.includes(definition.name)) throw new Error(`${[...path, definition.name].join(' → ')} is a circle`)
    for (const [, { to }] of referencesOf(definition)) {
      const referred = to === definition.name ? undefined : definitionOf(definitions, to)
      if (referred) visit(referred, [...path, definition.name])
    }
    ordered.push(definition.name)
  }
  for (const definition of definitions) visit(definition, [])
  return ordered
})

/** Compares names of resources by the lock order. */
const inLockOrder = (one: string, other: string): number =>
  lockOrder(registry).indexOf(one) - lockOrder(registry).indexOf(other)

/** Returns the references of a resource, those within the resource last. */
export const referencesInOrder = memoize((definition: Definition) =>
  referencesOf(definition).toSorted(([, one], [, other]) => inLockOrder(one.to, other.to)),
)

/** Returns the references by which records of a resource refer to each other. */
export const treesOf = (definition: Definition): string[] =>
  referencesOf(definition).flatMap(([field, { to }]) => (to === definition.name ? [field] : []))

/** Locks the tree of a reference for one writer. Two concurrent moves could close a circle that neither sees. */
export const lockTree = (companyId: number, table: string, field: string): Statement =>
  query('tree.lock')`select pg_advisory_xact_lock(hashtext(${`${table}.${field}`}), ${companyId % 2 ** 31}::int)`

/** Returns whether following `field` from the record `from` leads to the record `to`. */
export const leadsTo = (companyId: number, table: string, field: string, from: number, to: number): Statement =>
  query(`${table}.${field}.leads`)`with recursive chain as (
      select id, ${identifier(field)} as next from ${byKey(table, companyId, from)} r
      union
      select r.id, r.${identifier(field)} from chain cross join lateral ${byKey(table, companyId, raw('chain.next'))} r
    ) select exists (select from chain where id = ${to}) as leads`

/** A record, and the strength of its lock. */
export type LockRequestRow = { id: number; hold: Hold }

/** Locks records in the given order; a record that does not exist is not locked. */
export const holdInOrder = (companyId: number, table: string, wanted: readonly LockRequestRow[]): Statement => {
  const held = holdStrengths.map(
    (hold, index) => sql`left join lateral (
      select from ${identifier(table)} where company_id = ${companyId} and id = wanted.id and wanted.hold = ${index}
      ${raw(hold)} offset 0
    ) ${raw(`held_${index}`)} on true`,
  )
  return query(`${table}.hold`)`
    select count(*) from unnest(${wanted.map(({ id }) => id)}::bigint[], ${wanted.map(({ hold }) => holdStrengths.indexOf(hold))}::int[])
      wanted (id, hold) ${join(held, '\n    ')}`
}

/** A relation of the resource `owner` in the registry, and the ids of its removed records. */
export type Finder = { owner: string; relation: Relation; gone: readonly number[] }

/** A resource whose records are looked up by their references to removed records; `known` ones are locked with them. */
export type LookUp = { table: string; finders: readonly Finder[]; known: readonly number[] }

export type RemovalEffect = 'restrict' | 'cascade' | 'unlinked' | 'kept'

/** A record that refers to a removed one: for each relation the removed record and the effect, or nulls. */
export type RelatedRow = { records: string; id: number; to: (number | null)[]; effects: (RemovalEffect | null)[] }

/**
 * Locks the live records that refer to removed records, by resource in the lock order and then by id, and finds the
 * effects under the lock. Nothing new can refer to removed records: they are locked already. Once a record is removed
 * along, only a statement that begins after its lock sees all references to it. So nothing is locked from
 * `firstReferring` on.
 */
export const holdRelated = (companyId: number, lookUps: readonly LookUp[]): Statement =>
  relatedBy(companyId, lookUps, 'for update')

/** Finds the same records without a lock, and their effects as of now. */
export const seeRelated = (companyId: number, lookUps: readonly LookUp[]): Statement =>
  relatedBy(companyId, lookUps, '')

function relatedBy(companyId: number, lookUps: readonly LookUp[], lock: '' | 'for update'): Statement {
  const isSingle = lookUps.every(({ finders: [one, ...more], known }) => {
    return one?.gone.length === 1 && more.length === 0 && known.length === 0
  })
  const awaitedBy = (table: string): LookUp[] =>
    lookUps.filter((lookUp) => {
      const referring = lookUp.finders.some(({ relation }) => mayCascade(relation))
        ? firstReferring([lookUp.table])
        : undefined
      return referring !== undefined && inLockOrder(referring, table) <= 0
    })
  const related = (given: GivenLookUps, lookUp: LookUp): Sql => {
    const unless = awaitedBy(lookUp.table).map(
      ({ table }) => sql`not exists (select from ${relatedOf(table)} where 'cascade' = any (effects))`,
    )
    return (isSingle ? relatedToOne : relatedToAny)(given, lookUp, { unless, lock: raw(lock && `${lock} `) })
  }
  const owners = new Set(lookUps.flatMap(({ finders }) => finders.map(({ owner }) => owner)))
  const name = [
    `${lookUps[0]?.table}-${lookUps.at(-1)?.table}`,
    `${lock ? '' : 'see-'}${isSingle ? 'related' : 'related-any'}`,
    ...[...owners].toSorted(inLockOrder),
  ].join('.')
  return prepareStatement(registry, name, valuesOf(companyId, lookUps, isSingle), (given) => {
    const awaited = new Set(lookUps.flatMap(({ table }) => awaitedBy(table)))
    const first = [...awaited].map((one) => sql`${relatedOf(one.table)} as materialized (${related(given, one)})`)
    const each = lookUps.map((lookUp) =>
      awaited.has(lookUp) ? sql`select * from ${relatedOf(lookUp.table)}` : sql`(${related(given, lookUp)})`,
    )
    return sql`${first.length > 0 ? sql`with ${join(first)} ` : sql``}${join(each, '\n    union all ')}`
  })
}

/** The company, the known ids of each look-up by its table, and the removed ones by their relation. */
const valuesOf = (companyId: number, lookUps: readonly LookUp[], isSingle: boolean): { [name: string]: unknown } => ({
  companyId,
  ...Object.fromEntries(
    lookUps.flatMap(({ table, finders, known }) => [
      [table, known],
      ...finders.map(({ relation, gone }) => [goneOf(table, relation), isSingle ? gone[0] : gone]),
    ]),
  ),
})
type GivenLookUps = Expressions<ReturnType<typeof valuesOf>>

const goneOf = (table: string, { by }: Relation): string => `${table}.${by}`

/** Returns a row if a live record outside of `held` refers to any of the records `to`. Locks nothing. */
export const referringBesides = (
  companyId: number,
  table: string,
  field: string,
  { to, held }: { to: readonly number[]; held: readonly number[] },
): Statement => {
  const reference = sql`r.${identifier(field)}`
  return query(`${table}.${field}.referring-besides`)`select from unnest(${to}::bigint[]) gone (id) cross join lateral (
      select r.id from ${identifier(table)} r
      where r.company_id = ${companyId} and ${equalsIndexed(reference, sql`gone.id`)} and r.deleted_at is null
      ${inOrderOf(reference, sql`r.id`)}
    ) found where found.id <> all (${held}::bigint[]) limit 1`
}

const relatedOf = (table: string): Sql => raw(`related_${table}`)

export const mayCascade = ({ onDelete }: Relation): boolean =>
  onDelete.cascade !== undefined || onDelete.otherwise === 'cascade'

/** Returns the resources whose records may be removed with a record of this one, its own first. */
export const goingWith = memoize(({ name }: Definition): readonly string[] => {
  const going = new Set([name])
  for (const owner of going)
    for (const relation of definitionOf(registry, owner)?.removal.relations ?? [])
      if (mayCascade(relation)) going.add(relation.records)
  return [...going]
})

/** Returns the first resource in the lock order, behind one of these, whose records refer to records of that one. */
export const firstReferring = (owners: readonly string[]): string | undefined =>
  lockOrder(registry).find((table) =>
    relationsTo(table).some(({ owner }) => owners.includes(owner) && inLockOrder(owner, table) < 0),
  )

/** Returns the relations by which records of a resource refer to others. */
export const relationsTo = (table: string): readonly Omit<Finder, 'gone'>[] =>
  relationsByTable(registry).get(table) ?? []

const relationsByTable = memoize((definitions: readonly Definition[]) =>
  Map.groupBy(
    definitions.flatMap(({ name: owner, removal }) => removal.relations.map((relation) => ({ owner, relation }))),
    ({ relation }) => relation.records,
  ),
)

/**
 * Selects the records that refer to one removed record: the index of the reference has them in the order of their ids.
 * Those of the same resource were locked together with it. One that has come since is returned and not locked.
 */
function relatedToOne(given: GivenLookUps, { table, finders }: LookUp, { unless, lock: asked }: RelatedOptions): Sql {
  const { owner, relation } = finders[0] as Finder
  const lock = owner === table ? raw('') : asked
  const reference = identifier(relation.by)
  return sql`select ${raw(`'${table}'`)}::text as records, r.id, json_build_array(r.${reference}) as "to", array[${effectOf(relation)}] as effects
    from (
      select * from ${identifier(table)}
      where company_id = ${given.companyId} and ${equalsIndexed(reference, given[goneOf(table, relation)])} and deleted_at is null
      order by ${reference}, id ${lock}offset 0
    ) r${unless.length > 0 ? sql` where ${join([...unless], ' and ')}` : sql``}`
}

type RelatedOptions = { unless: readonly Sql[]; lock: Sql }

function relatedToAny(given: GivenLookUps, { table, finders }: LookUp, { unless, lock }: RelatedOptions): Sql {
  const goneTo = ({ relation }: Finder) => sql`${given[goneOf(table, relation)]}::bigint[]`
  const found = finders.map((finder) => {
    const reference = sql`r.${identifier(finder.relation.by)}`
    return sql`select found.id from unnest(${goneTo(finder)}) gone (id) cross join lateral (
        select r.id from ${identifier(table)} r
        where r.company_id = ${given.companyId} and ${equalsIndexed(reference, sql`gone.id`)} and r.deleted_at is null
        ${inOrderOf(reference, sql`r.id`)}
      ) found`
  })
  const isOf = (finder: Finder) => sql`r.${identifier(finder.relation.by)} = any (${goneTo(finder)})`
  const to = finders.map((finder) => sql`case when ${isOf(finder)} then r.${identifier(finder.relation.by)} end`)
  const effects = finders.map((finder) => sql`case when ${isOf(finder)} then ${effectOf(finder.relation)} end`)
  return sql`select ${raw(`'${table}'`)}::text as records, r.id, json_build_array(${join(to)}) as "to", array[${join(effects)}] as effects
    from (
      select distinct id from (
        select id from unnest(${given[table]}::bigint[]) id
        union all ${join(found, '\n        union all ')}
      ) each order by id
    ) wanted cross join lateral (
      select * from ${identifier(table)} where company_id = ${given.companyId} and id = wanted.id ${lock}offset 0
    ) r
    where ${join([sql`r.deleted_at is null`, sql`(${join(finders.map(isOf), ' or ')})`, ...unless], ' and ')}`
}

/** Returns the effect on the record `r`, as text. */
function effectOf({ onDelete: { restrict, cascade, otherwise } }: Relation) {
  const cases = [
    ...(restrict ? [sql`when ${matchConditions(restrict)} then 'restrict'`] : []),
    ...(cascade ? [sql`when ${matchConditions(cascade)} then 'cascade'`] : []),
  ]
  const rest = raw(`'${otherwise}'`)
  return cases.length > 0 ? sql`case ${join(cases, ' ')} else ${rest} end` : rest
}

/** Returns the condition that a row matches. The values come from the registry. */
export const matchConditions = (match: Match, row = 'r') =>
  join(
    Object.entries(match).map(([column, values]) => {
      const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
      return raw(`${row}.${column} in (${list.join(', ')})`)
    }),
    ' and ',
  )
