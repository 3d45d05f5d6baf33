import { raw, type Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from './statement.ts'

/**
 * A read whose cost does not grow with the data and that no value can make fail, so that one statement may answer many
 * who ask at the same moment: its text is over `asked`, a row for each of them with what they ask by. Each finds what
 * its own row leads to and nothing of the others'.
 */
export type BatchableRead = {
  batchable: true
  name: string
  text: string
  /** How many at most one statement answers: the dearer a single answer is, the fewer should wait for each other. */
  batchMax: number
  /** Of one who asks, in the order of the parameters; each parameter is an array of those of all who ask. */
  values: readonly unknown[]
  /** The same for one who asks: where companies are distributed, no server has the rows of all who ask. */
  alone(): Statement
}

/** What is asked by: values, or the expressions that stand for them in a text that many share. */
export type StatementInput<Asked> = { [name in keyof Asked]: Asked[name] | Sql }

/** One record each is next to nothing, one page each is not. */
export const batchMaxOf = { records: 32, pages: 16 }

/**
 * A batchable read, its text made once. Where that follows from a definition, the read is kept with the definition (`once`).
 * `types` are PostgreSQL's. A row that answers has a `place`: whose answer it is, counted from 1.
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
  const text = textOf(names, types, query)
  return (asked) => ({
    ...{ batchable: true, name, text, batchMax, values: names.map((name) => asked[name]) },
    alone: () => statement(query(typedAs(types, asked)), name),
  })
}

function typedAs<Asked extends object>(
  types: { readonly [name in keyof Asked]: string },
  asked: Asked,
): StatementInput<Asked> {
  const typed = Object.entries(types).map(([name, type]) => [
    name,
    sql`${asked[name as keyof Asked]}::${raw(type as string)}`,
  ])
  return Object.fromEntries(typed) as StatementInput<Asked>
}

function textOf<Asked extends object>(
  names: readonly (keyof Asked & string)[],
  types: { readonly [name in keyof Asked]: string },
  query: (asked: StatementInput<Asked>) => Sql,
): string {
  const columns = Object.fromEntries(names.map((name) => [name, raw(`asked."${name}"`)])) as StatementInput<Asked>
  const { text, values } = query(columns)
  if (values.length > 0) throw new Error('a batchable read takes everything from what is asked')
  const arrays = names.map((name, index) => `$${index + 1}::${types[name]}[]`)
  return `select asked.place, answer.*
  from unnest(${arrays.join(', ')}) with ordinality as asked (${names.map((name) => `"${name}"`).join(', ')}, place)
  join lateral (${text}) answer on true`
}
