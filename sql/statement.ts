import plainSql, { join, type RawValue, raw, Sql } from 'sql-template-tag'
import { kindOf } from '#registry/fields/index.ts'
import { memoize } from '#registry/memoize.ts'
import { registry } from '#registry/resources/index.ts'

/** A statement ready to run. With a name it is prepared once a connection; without one its text may vary freely. */
export type Statement = {
  name?: string
  text: string
  values: unknown[]
  batchable?: undefined
  /** The statements that replace it where companies are distributed over several servers. Decisions, Distributed. */
  distributed?: Steps
  /**
   * The company whose places for expensive reads, or reads that many callers repeat at once, it takes
   * (`store/heavy-reads.ts`).
   */
  heavyOf?: number
}

/**
 * Statements that together replace one that cannot run there; they return its rows. If the last ones are sent and not
 * answered yet, later statements can be sent with them.
 */
export type Steps = (run: Run) => Promise<readonly unknown[] | { rows: Promise<readonly unknown[]> }>
export type Run = <Row>(statement: Statement) => Promise<Row[]>

/** Sends statements together, in this order. Returns the rows of the last. */
export const runInOrder = async (run: Run, ...statements: Statement[]): Promise<readonly unknown[]> =>
  (await Promise.all(statements.map((one) => run(one)))).at(-1) ?? []

/** The code of a transaction that must be retried, because it depends on data that another one has changed since. */
export const staleCode = 'stale'

/** Returns an error that makes the whole transaction start anew. */
export const conflict = (cause?: unknown): Error =>
  Object.assign(new Error('met another transaction', { cause }), { code: staleCode })

/** PostgreSQL truncates longer names, and two statements could share one. */
const nameLengthMax = 63

/** Creates a statement. `steps` replace it if a distributed database accepts no form of the query. */
export function statement(query: Sql, name?: string, steps?: Steps): Statement {
  const made = assembleStatement(name, query.text, query.values)
  const form = (query as ForkedSql).distributed
  const distributed = steps ?? (form && ((run: Run) => run(statement(form(), name))))
  return distributed ? { ...made, distributed } : made
}

const assembleStatement = (name: string | undefined, text: string, values: unknown[]): Statement =>
  name === undefined || name.length > nameLengthMax ? { text, values } : { name, text, values }

/** Returns the template tag of a statement with a name. */
export const query =
  (name: string) =>
  (texts: readonly string[], ...values: readonly RawValue[]): Statement =>
    statement(sql(texts, ...values), name)

/** The values of a statement as its text has them: an expression for each. */
export type Expressions<Values> = { readonly [name in keyof Values]: Sql }

/** Returns the values as expressions, for a text of this one call. */
export const expressionsOf = <Values extends object>(values: Values): Expressions<Values> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plainSql`${value}`])) as Expressions<Values>

/** A text with the names of its values in their order. */
type PreparedText = { text: string; names: readonly string[]; distributed: (() => PreparedText) | undefined }

/**
 * Creates a statement whose text is made once for its name, because it takes longer to make than to send. `of` is the
 * definition (or the registry) that the text is made of: the text is kept with it, so another definition of that name
 * gets its own; null is for a text of fixed tables. `build` gets expressions for the values; all else that it depends
 * on is part of the name. Throws if the text has a value that is not given, because every later call would get it.
 * Without a name the text is made for this call.
 */
export function prepareStatement<Values extends object>(
  of: object | null,
  name: string | undefined,
  values: Values,
  build: (given: Expressions<Values>) => Sql,
): Statement {
  if (name === undefined) return statement(build(expressionsOf(values)))
  const fill = ({ text, names, distributed }: PreparedText): Statement => {
    const made = assembleStatement(
      name,
      text,
      names.map((one) => values[one as keyof Values]),
    )
    return distributed ? { ...made, distributed: (run) => run(fill(distributed())) } : made
  }
  const texts = textsOf(of ?? registry)
  const known = texts.get(name)
  if (known) return fill(known)
  const symbols = Object.fromEntries(Object.keys(values).map((one) => [one, Symbol(one)]))
  const made = prepareText(build(expressionsOf(symbols) as Expressions<Values>))
  texts.set(name, made)
  return fill(made)
}

/** Returns the texts that are kept with a definition, by name. */
const textsOf = memoize((_: object) => new Map<string, PreparedText>())

function prepareText({ text, values, distributed }: ForkedSql): PreparedText {
  // A symbol stands for a value.
  const names = values.map((value) => {
    if (typeof value !== 'symbol') throw new Error(`a text that is made once has the value ${value}`)
    return value.description as string
  })
  let there: PreparedText | undefined
  const makeThere = distributed && (() => (there ??= prepareText(distributed())))
  return { text, names, distributed: makeThere }
}

/** A part of a statement that has another form where companies are distributed. */
type ForkedSql = Sql & { distributed?: () => Sql }

/** Returns a part with two forms; `plain` is the one for one server. */
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

/** Returns an identifier. It comes from the registry, never from a request. */
export const identifier = (name: string): Sql => raw(name)

/** Returns the expression that formats a moment. */
export const instant = (column: string): Sql => raw(kindOf({ kind: 'instant', about: '' }).shown?.(column) ?? column)

/** JSON as PostgreSQL writes a row and Node an object: without the blanks of `json_build_object`. */

/** Returns an expression for an object. The names are constants of this program. */
export const jsonObject = (members: { readonly [name: string]: Sql }): Sql => {
  const texts = Object.entries(members).map(([name, value]) => sql`${raw(`'"${name}":'`)} || ${textOf(value)}`)
  return sql`('{' || ${join(texts, ` || ',' || `)} || '}')::json`
}

/** Returns an expression for a list. */
export const jsonArray = (items: readonly Sql[]): Sql =>
  sql`('[' || ${join(items.map(textOf), ` || ',' || `)} || ']')::json`

const textOf = (value: Sql): Sql => sql`coalesce(to_json(${value})::text, 'null')`

/**
 * The query of a write for the rows that it reads and locks before it is checked: at most one row, which may contain
 * the rows of a set. It can be sent with the first statements of its pipeline. All prefetches of one name
 * and definition have one text.
 */
export type Prefetch = {
  name: string
  /** The definition that its text is made of. */
  of: object
  /** Its company, and the id, reference or rows (as JSON) that it looks for. */
  values: PrefetchValues
  /** Returns the query. `among` are the places of the rows of a set to look up; all by default. */
  query(given: Expressions<PrefetchValues>, among?: Sql): Sql
}
type PrefetchValues = { companyId: number; target: string | number }

/** Returns a prefetch as a statement of its own. */
export const prefetchStatement = ({ name, of, values, query }: Prefetch): Statement =>
  prepareStatement(of, `${name}.prefetch`, values, (given) => sql`select ${prefetchedRow(query(given))} as seen`)

/** Returns the prefetched row as one value, or null if there is none. */
export const prefetchedRow = (query: Sql): Sql => sql`(select row_to_json(seen) from (${query}) seen)`
