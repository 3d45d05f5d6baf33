import type pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'

/** PostgreSQL's generic plan of a statement, as text and as a tree. */
export type QueryPlan = { text: string; root: Node }

export type Node = {
  'Node Type': string
  'Parent Relationship'?: string
  'Subplan Name'?: string
  'CTE Name'?: string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Sort Key'?: string[]
  Filter?: string
  Operation?: string
  Strategy?: string
  Plans?: Node[]
}

/** Reads the generic plan of a statement, prepared like in the service (PostgreSQL 15 and later). */
export async function planOf(client: pg.Client, { text }: Statement | BatchableRead): Promise<QueryPlan> {
  await client.query(`prepare planned as ${text}`)
  try {
    const { rows } = await client.query<{ count: number }>(
      "select cardinality(parameter_types)::int as count from pg_prepared_statements where name = 'planned'",
    )
    const count = rows[0]?.count ?? 0
    const execute = `execute planned${count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`}`
    const lines = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${execute}`)
    const tree = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (costs off, format json) ${execute}`)
    return {
      text: lines.rows.map((row) => row['QUERY PLAN']).join('\n'),
      root: (tree.rows[0] as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan,
    }
  } finally {
    await client.query('deallocate planned')
  }
}

/** Tables that are read whole on purpose: a fold needs all changes, and the other two have few rows. */
const meantWhole = ['tally_changes', 'demo_removals', 'pg_database']

/** Returns the tables that a plan reads whole. */
export const readWhole = (node: Node): string[] => [
  ...(node['Node Type'] === 'Seq Scan' && !meantWhole.includes(node['Relation Name'] ?? '')
    ? [`${node['Relation Name']}`]
    : []),
  ...(node.Plans ?? []).flatMap(readWhole),
]

/**
 * Returns the access paths of a plan: each index with its condition and the kind of its scan, and each table that is
 * read by row positions. Leaves out the numbers of parameters and parts, which differ by version.
 */
export const accessPathsOf = (node: Node): string[] =>
  [
    ...(node['Index Name'] ? [`${node['Index Name']} ${normalizeCondition(node['Index Cond'] ?? '')}`] : []),
    ...(/^(Seq|Tid) Scan$/.test(node['Node Type']) ? [`${node['Node Type']} ${node['Relation Name']}`] : []),
    ...(node.Plans ?? []).flatMap(accessPathsOf),
  ].toSorted()

const normalizeCondition = (condition: string): string =>
  condition
    .replace(/\((?:Init|Sub)Plan \d+\)(?:\.col\d+)?|\$\d+/g, '$')
    .replace(/\b\w+_\d+\./g, '')
    .replace(/::[a-z ]+/g, '')
