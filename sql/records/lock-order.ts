import { join, raw } from 'sql-template-tag'
import type { Definition, Match, Relation } from '#registry/definition.ts'
import { once } from '#registry/once.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { exactly, inOrderOf } from '../access.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'

/**
 * The order in which every write locks records: by resource, what is referred to first, then by id. Whoever waits holds
 * only locks that come before the one it waits for, so no two writes wait for each other. Decisions, Locks.
 */

/** The strength of a record's lock: for a reference, for a rule that reads the record, for an update, for a removal. */
export const holds = ['for key share', 'for share', 'for no key update', 'for update'] as const
export type Hold = (typeof holds)[number]

/** The names of all resources in the lock order. A reference within a resource makes a tree and counts for nothing. */
export const lockOrder = once((definitions: readonly Definition[]): readonly string[] => {
  const ordered: string[] = []
  const visit = (definition: Definition, path: readonly string[]): void => {
    if (ordered.includes(definition.name)) return
    if (path.includes(definition.name)) throw new Error(`${[...path, definition.name].join(' → ')} is a circle`)
    for (const field of Object.values(definition.fields)) {
      const to = field.kind === 'reference' && field.to !== definition.name && definitionOf(definitions, field.to)
      if (to) visit(to, [...path, definition.name])
    }
    ordered.push(definition.name)
  }
  for (const definition of definitions) visit(definition, [])
  return ordered
})

/** Sorts names of resources. */
const inLockOrder = (one: string, other: string): number =>
  lockOrder(registry).indexOf(one) - lockOrder(registry).indexOf(other)

/** The references of a resource as [field, resource that it leads to], those within the resource last. */
export const referencesInOrder = once((definition: Definition): readonly [string, string][] =>
  Object.entries(definition.fields)
    .flatMap(([name, field]): [string, string][] => (field.kind === 'reference' ? [[name, field.to]] : []))
    .toSorted(([, one], [, other]) => inLockOrder(one, other)),
)

/** The references by which records of a resource refer to each other. */
export const treesOf = ({ name, fields }: Definition): string[] =>
  Object.keys(fields).filter((field) => {
    const type = fields[field]
    return type?.kind === 'reference' && type.to === name
  })

/** A record, and how strongly it is locked. */
export type WantedRecord = { id: number; hold: Hold }

/** Locks records in the order in which they are given; a record that is not there is not locked. */
export const holdInOrder = (companyId: number, table: string, wanted: readonly WantedRecord[]): Statement => {
  const held = holds.map(
    (hold, index) => sql`left join lateral (
      select from ${identifier(table)} where company_id = ${companyId} and id = wanted.id and wanted.hold = ${index}
      ${raw(hold)} offset 0
    ) ${raw(`held_${index}`)} on true`,
  )
  return statement(
    sql`select count(*) from unnest(${wanted.map(({ id }) => id)}::bigint[], ${wanted.map(({ hold }) => holds.indexOf(hold))}::int[])
      wanted (id, hold) ${join(held, '\n    ')}`,
    `${table}.hold`,
  )
}

/** A relation, and the ids of the records that go, to which it leads. */
export type Finder = { relation: Relation; gone: readonly number[] }

export type RemovalEffect = 'restrict' | 'cascade' | 'unlinked' | 'kept'

/** A record that refers to one that goes: for each relation where that leads and what becomes of the record, or nulls. */
export type RelatedRow = { id: number; to: (number | null)[]; effects: (RemovalEffect | null)[] }

/**
 * Locks the live records of a resource that refer to records which go, together with others that are `known`, all in the
 * order of their ids, and judges them under the lock. Nothing new can refer to what goes: that is locked already.
 */
export function holdRelated(
  companyId: number,
  table: string,
  finders: readonly Finder[],
  known: readonly number[] = [],
): Statement {
  const found = finders.map(({ relation: { by }, gone }) => {
    const reference = sql`r.${identifier(by)}`
    return sql`select found.id from unnest(${gone}::bigint[]) gone (id) cross join lateral (
        select r.id from ${identifier(table)} r
        where r.company_id = ${companyId} and ${exactly(reference, sql`gone.id`)} and r.deleted_at is null
        ${inOrderOf(reference, sql`r.id`)}
      ) found`
  })
  const isOf = ({ relation, gone }: Finder) => sql`r.${identifier(relation.by)} = any (${gone}::bigint[])`
  const to = finders.map((finder) => sql`case when ${isOf(finder)} then r.${identifier(finder.relation.by)} end`)
  const effects = finders.map((finder) => sql`case when ${isOf(finder)} then ${effectOf(finder.relation)} end`)
  return statement(
    sql`select r.id, json_build_array(${join(to)}) as "to", json_build_array(${join(effects)}) as effects
    from (
      select distinct id from (
        select id from unnest(${known}::bigint[]) id
        union all ${join(found, '\n        union all ')}
      ) each order by id
    ) wanted cross join lateral (
      select * from ${identifier(table)} where company_id = ${companyId} and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (${join(finders.map(isOf), ' or ')})`,
    `${table}.related.${finders.map(({ relation }) => relation.by).join('.')}`,
  )
}

/** What becomes of the record `r`, as a value of JSON. */
function effectOf({ onDelete: { restrict, cascade, otherwise } }: Relation) {
  const cases = [
    ...(restrict ? [sql`when ${matches(restrict)} then 'restrict'`] : []),
    ...(cascade ? [sql`when ${matches(cascade)} then 'cascade'`] : []),
  ]
  const rest = raw(`'${otherwise}'`)
  return cases.length > 0 ? sql`case ${join(cases, ' ')} else ${rest} end` : rest
}

/** The values come from the registry. */
const matches = (match: Match) =>
  join(
    Object.entries(match).map(([column, values]) => {
      const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
      return raw(`r.${column} in (${list.join(', ')})`)
    }),
    ' and ',
  )
