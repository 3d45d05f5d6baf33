import type pg from 'pg'
import type { Node } from './plan.ts'

/** Whether the order in which a statement locks rows follows from its text, or only from its plan. */

/** The columns and expressions of each unique index, by table. */
export type Keys = ReadonlyMap<string, readonly string[][]>

export async function readKeys(client: pg.Client): Promise<Keys> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select indrelid::regclass::text as "table", array(
      select pg_get_indexdef(indexrelid, place, true) from generate_series(1, indnkeyatts) place
    ) as columns from pg_index where indisunique`,
  )
  return new Map(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, keys]) => [table, keys.map((key) => key.columns)]),
  )
}

/**
 * Returns the tables of whose rows the plan alone decides in which order they are locked. It does not where a row is
 * found by a key; where the text orders what it locks, or skips what is locked; where rows are written by their places,
 * which PostgreSQL sorts; and where one row is locked for each of rows whose order the text states.
 */
export function unstatedLocks(root: Node, text: string, keys: Keys): string[] {
  const isStated = (node: Node): boolean => {
    const [first, second] = inputsOf(node)
    switch (node['Node Type']) {
      case 'Sort':
      case 'Incremental Sort':
      case 'Function Scan':
      case 'Values Scan':
        return true
      case 'CTE Scan':
        return isStated(cteOf(root, node['CTE Name']))
      case 'Nested Loop':
        return isStated(first as Node) && isStated(second as Node)
      case 'Append':
        return inputsOf(node).every(isStated)
      case 'Hash Join':
      case 'Merge Join':
      case 'ModifyTable':
        return false
      default:
        if (node['Relation Name'] !== undefined) return isOneRow(node, keys) || isOrdered(node['Relation Name'], text)
        return node.Strategy !== 'Hashed' && (first === undefined || isStated(first))
    }
  }
  const found: string[] = []
  const visit = (node: Node, repeated: boolean): void => {
    const table = locked(node)
    if (table !== undefined && (repeated || !isStatedLock(node, table, text, keys))) found.push(table)
    for (const child of node.Plans ?? []) {
      const [outer] = inputsOf(node)
      const isRepeated =
        child['Parent Relationship'] === 'SubPlan'
          ? !isStated(node)
          : node['Node Type'] === 'Nested Loop' && child !== outer && child['Parent Relationship'] === 'Inner'
            ? !isStated(outer as Node)
            : false
      visit(child, child['Parent Relationship'] === 'InitPlan' ? false : repeated || isRepeated)
    }
  }
  visit(root, false)
  return found.filter((table) => !skipsLocked(table, text))
}

/** Returns the table whose rows a node locks by itself. */
function locked(node: Node): string | undefined {
  if (node['Node Type'] === 'LockRows') return scanOf(node)?.['Relation Name']
  return node['Node Type'] === 'ModifyTable' && node.Operation !== 'Insert' ? node['Relation Name'] : undefined
}

function isStatedLock(node: Node, table: string, text: string, keys: Keys): boolean {
  const scan = scanOf(node)
  if (scan && isOneRow(scan, keys)) return true
  if (node['Node Type'] === 'LockRows') return isOrdered(table, text)
  return hasPlaces(node) || isOrdered(table, text)
}

/** Returns whether rows are written by their places. */
const hasPlaces = (node: Node): boolean =>
  inputsOf(node).some((one) => one['Node Type'] === 'Tid Scan' || hasPlaces(one))

const scanOf = (node: Node): Node | undefined =>
  node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable'
    ? node
    : inputsOf(node)
        .map(scanOf)
        .find((one) => one !== undefined)

/** Returns whether a scan finds its rows by all columns of a unique index. */
function isOneRow(scan: Node, keys: Keys): boolean {
  const conditions = `${scan['Index Cond'] ?? ''} ${scan.Filter ?? ''}`
  const isGiven = (column: string): boolean => {
    const name = column.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const has = (sign: string): boolean => new RegExp(`\\(\\(?${name}(::\\w+)?\\)? ${sign} (?!ANY)`).test(conditions)
    return has('=') || (has('>=') && has('<='))
  }
  return (keys.get(scan['Relation Name'] ?? '') ?? []).some((columns) => columns.every(isGiven))
}

/** Returns whether each locking clause of the table stands behind an order. */
const isOrdered = (table: string, text: string): boolean => {
  const clauses = clausesOf(table, text)
  return clauses.length > 0 && clauses.every((clause) => /order by/.test(clause))
}

const skipsLocked = (table: string, text: string): boolean => {
  const clauses = clausesOf(table, text)
  return clauses.length > 0 && clauses.every((clause) => /skip locked$/.test(clause))
}

/** Returns the selects of the table up to their locking clauses, without the selects within them. */
const clausesOf = (table: string, text: string): string[] =>
  [...text.matchAll(/\bfor (?:key share|share|no key update|update)(?: of (\w+))?(?: skip locked)?/g)].flatMap(
    (match) => {
      const select = selectBefore(text.slice(0, match.index))
      const from = new RegExp(`\\b(?:from|join) ${table}${match[1] === undefined ? '' : ` ${match[1]}`}\\b`)
      return from.test(select) ? [select + match[0]] : []
    },
  )

/** Returns the select that goes on at the end of a text, without what stands in parentheses in it. */
function selectBefore(text: string): string {
  let depth = 0
  let select = ''
  for (const sign of [...text].toReversed()) {
    if (sign === ')') depth++
    else if (sign === '(' && depth-- === 0) break
    else if (depth === 0) select = sign + select
  }
  return select
}

const inputsOf = ({ Plans = [] }: Node): Node[] =>
  Plans.filter((one) => one['Parent Relationship'] !== 'SubPlan' && one['Parent Relationship'] !== 'InitPlan')

function cteOf(node: Node, name: string | undefined): Node {
  const found = findCte(node, name)
  if (!found) throw new Error(`the plan has no CTE ${name}`)
  return found
}

const findCte = (node: Node, name: string | undefined): Node | undefined =>
  node['Subplan Name'] === `CTE ${name}` ? node : (node.Plans ?? []).map((one) => findCte(one, name)).find(Boolean)
