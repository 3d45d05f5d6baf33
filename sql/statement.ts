import plainSql, { join, type RawValue, raw, Sql } from 'sql-template-tag'
import { kindOf } from '#registry/fields/index.ts'

/** A statement ready to run. With a name it is prepared once a connection; without one its text may vary freely. */
export type Statement = {
  name?: string
  text: string
  values: unknown[]
  batchable?: undefined
  /** What is asked instead where companies are distributed over several servers. Decisions, Distributed. */
  distributed?: Steps
  /** The company whose places for reads that cost much, or that many ask at once, it takes (`store/heavy-reads.ts`). */
  heavyOf?: number
}

/**
 * Statements that do together what one cannot do there; what they return is what the one would. Where the last have been
 * sent and are not answered yet, what is asked next can travel with them.
 */
export type Steps = (run: Run) => Promise<readonly unknown[] | { rows: Promise<readonly unknown[]> }>
export type Run = <Row>(statement: Statement) => Promise<Row[]>

/** Statements that travel together, in this order; the rows of the last. */
export const runInOrder = async (run: Run, ...statements: Statement[]): Promise<readonly unknown[]> =>
  (await Promise.all(statements.map((one) => run(one)))).at(-1) ?? []

/** The code of a transaction that has to start anew, because it rests on what another one has changed since. */
export const staleCode = 'stale'

/** Has the whole transaction run again. */
export const conflict = (cause?: unknown): Error =>
  Object.assign(new Error('met another transaction', { cause }), { code: staleCode })

/** PostgreSQL cuts longer names off, and two statements would share one. */
const nameLengthMax = 63

/** `steps` are given where a distributed database takes no form of the query. */
export function statement(query: Sql, name?: string, steps?: Steps): Statement {
  const { text, values } = query
  const made = name === undefined || name.length > nameLengthMax ? { text, values } : { name, text, values }
  const form = (query as ForkedSql).distributed
  const distributed = steps ?? (form && ((run: Run) => run(statement(form(), name))))
  return distributed ? { ...made, distributed } : made
}

/** A part of a statement that is another one where companies are distributed. */
type ForkedSql = Sql & { distributed?: () => Sql }

/** The first is the form for one server. */
export const eitherSql = (plain: Sql, distributed: () => Sql): Sql => Object.assign(sql`${plain}`, { distributed })

export function sql(texts: readonly string[], ...values: readonly RawValue[]): Sql {
  const query: ForkedSql = plainSql(texts as TemplateStringsArray, ...values)
  if (values.some(formOf))
    query.distributed = () => plainSql(texts as TemplateStringsArray, ...values.map(distributedOf))
  return query
}

const formOf = (value: RawValue): (() => Sql) | undefined =>
  value instanceof Sql ? (value as ForkedSql).distributed : undefined
const distributedOf = (value: RawValue): RawValue => formOf(value)?.() ?? value

/** An identifier. It comes from the registry, never from a request. */
export const identifier = (name: string): Sql => raw(name)

/** A moment as it is shown. */
export const instant = (column: string): Sql => raw(kindOf({ kind: 'instant', about: '' }).shown?.(column) ?? column)

/** JSON as PostgreSQL writes a row and Node an object: without the blanks of `json_build_object`. */

/** Returns an expression for an object. The names are constants of ours. */
export const jsonObject = (members: { readonly [name: string]: Sql }): Sql => {
  const texts = Object.entries(members).map(([name, value]) => sql`${raw(`'"${name}":'`)} || ${textOf(value)}`)
  return sql`('{' || ${join(texts, ` || ',' || `)} || '}')::json`
}

/** Returns an expression for a list. */
export const jsonArray = (items: readonly Sql[]): Sql =>
  sql`('[' || ${join(items.map(textOf), ` || ',' || `)} || ']')::json`

const textOf = (value: Sql): Sql => sql`coalesce(to_json(${value})::text, 'null')`

/**
 * What a write has to see, and to hold, before it can be judged: at most one row, which may contain the rows of a set. It can
 * travel with whatever else its pipeline asks first. One text for all that share its name.
 */
export type Prefetch = {
  name: string
  /** `among`: the places of the rows of a set that are looked up; all by default. */
  query(among?: Sql): Sql
}

/** A prefetch by itself. */
export const prefetchStatement = ({ name, query }: Prefetch): Statement =>
  statement(sql`select ${prefetchedRow(query())} as seen`, `${name}.prefetch`)

/** The prefetched row as one value, which null stands for where there is none. */
export const prefetchedRow = (query: Sql): Sql => sql`(select row_to_json(seen) from (${query}) seen)`
