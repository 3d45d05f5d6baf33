import { treesOf } from '#sql/records/lock-order.ts'
import type { AcceptedRow } from './batch-run.ts'

/**
 * The first operations that can be done together: consecutive ones of one sort and one resource, up to where one uses
 * what another of them does. What only the database knows is cut when it is known (`update-set.ts`).
 */
export function nextSet(rows: readonly AcceptedRow[]): AcceptedRow[] {
  const set: AcceptedRow[] = []
  let namesChange = false
  for (const row of rows) {
    const first = set[0]
    if (first && (!isOfSet(first, row) || hangsInTree(row) || (namesChange && isNamed(row)))) break
    set.push(row)
    if (hangsInTree(row)) break
    namesChange ||= Object.hasOwn(row.wanted.body, 'external_ref')
  }
  return set
}

const isOfSet = (first: AcceptedRow, { wanted }: AcceptedRow): boolean =>
  wanted.op === first.wanted.op &&
  wanted.definition === first.wanted.definition &&
  ![...wanted.refs.values()].some((n) => n >= first.n)

/** Whether the operation finds its record by an external reference. */
const isNamed = ({ wanted }: AcceptedRow): boolean => wanted.externalRef !== undefined

/** An update that hangs a record elsewhere is done alone: circles are looked for in what is written. */
export const hangsInTree = ({ wanted: { id, externalRef, definition, body } }: AcceptedRow): boolean =>
  (id ?? externalRef) !== undefined && treesOf(definition).some((name) => Object.hasOwn(body, name))
