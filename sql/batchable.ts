import { raw, type Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from './statement.ts'

/**
 * A read whose cost does not grow with the data, and which no value can make fail. So one statement may answer many
 * concurrent requests. Its text selects from `asked`, which has a row for each request with its values. Each request
 * finds only the rows of its own values.
 */
export type BatchableRead = {
  batchable: true
  name: string
  text: string
  /**
   * Requests that one statement answers at most. The more a single answer costs, the fewer should wait for each other.
   */
  batchMax: number
  /**
   * The values of one request, in the order of the parameters. Each parameter is an array of the values of all
   * requests.
   */
  values: readonly unknown[]
  /** Returns the statement for one request: where companies are distributed, no server has the rows of all requests. */
  alone(): Statement
}

/** The input of a statement: values, or the expressions for them in a text that many requests share. */
export type StatementInput<Asked> = { [name in keyof Asked]: Asked[name] | Sql }

/** One record costs next to nothing, one page does not. */
export const batchMaxOf = { records: 32, pages: 16 }

/**
 * Creates a batchable read, its text once. A read that follows from a definition is kept with the definition (`once`).
 * `types` are PostgreSQL's. A returned row has a `place`: the number of its request, from 1.
 */
export function createBatchableRead<Asked extends object>({
  name,
  types,
  batchMax,
  query,
}: {
  name: string
  types: { readonly [name in keyof Asked]: string }
  batchMax: number
  query: (asked: StatementInput<Asked>) => Sql
}): (asked: Asked) => BatchableRead {
  const names = Object.keys(types) as (keyof Asked & string)[]
  const inputOf = (of: (name: keyof Asked & string) => Sql) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as StatementInput<Asked>
  const each = query(inputOf((name) => raw(`asked."${name}"`)))
  if (each.values.length > 0) throw new Error('a batchable read takes everything from what is asked')
  const arrays = names.map((name, index) => `$${index + 1}::${types[name]}[]`)
  const text = `select asked.place, answer.*
  from unnest(${arrays.join(', ')}) with ordinality as asked (${names.map((name) => `"${name}"`).join(', ')}, place)
  join lateral (${each.text}) answer on true`
  return (asked) => ({
    ...{ batchable: true, name, text, batchMax, values: names.map((name) => asked[name]) },
    alone: () => statement(query(inputOf((name) => sql`${asked[name]}::${raw(types[name])}`)), name),
  })
}
