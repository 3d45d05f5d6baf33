import type pg from 'pg'
import type { Statement } from '#derive/queries/statement.ts'

/** How PostgreSQL goes about a statement, whatever its values are: as people read it, and as a tree. */
export type Plan = { text: string; root: Node }

type Node = { 'Node Type': string; 'Relation Name'?: string; 'Sort Key'?: string[]; Plans?: Node[] }

export async function planOf(client: pg.Client, { text }: Pick<Statement, 'text'>): Promise<Plan> {
  const lines = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${text}`)
  const tree = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (generic_plan, costs off, format json) ${text}`,
  )
  return {
    text: lines.rows.map((row) => row['QUERY PLAN']).join('\n'),
    root: (tree.rows[0] as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan,
  }
}

/** The tables that a plan reads from end to end. A fold takes whatever changes there are, and means to. */
export const readWhole = (node: Node): string[] => [
  ...(node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'tally_changes'
    ? [`${node['Relation Name']}`]
    : []),
  ...(node.Plans ?? []).flatMap(readWhole),
]

/** Whether records are sorted by their id alone, which an index has in order; what a search found may be. */
export const sortsById = (node: Node): boolean => {
  const keys = node['Node Type'].endsWith('Sort') ? (node['Sort Key'] ?? []) : []
  const onlyId = keys.length === 1 && /(^|\.)id$/.test(keys[0] as string)
  const found = node.Plans?.every((plan) => plan['Node Type'] === 'CTE Scan') ?? false
  return (onlyId && !found) || (node.Plans ?? []).some(sortsById)
}
