import { hash } from 'node:crypto'
import type { BatchOp, BatchWanted } from '#derive/batch-operation.ts'
import { acceptable } from '#derive/input.ts'
import { referenceField } from '#registry/common.ts'
import { isPlanLimited } from '#registry/plans.ts'
import { uniqueFields } from '#sql/records/columns.ts'
import { type Hold, holdInOrder, holdSlots, holds, lockInOrder } from '#sql/records/sets.ts'
import { lockTree } from '#sql/records/write.ts'
import type { Transaction } from '../../store/database.ts'
import { hangsInTree, treesOf } from './cut.ts'
import { idsOfReferences } from './reference.ts'
import type { Run, WantedRow } from './run.ts'

/**
 * Everything that a batch is known to need, taken in one order by all batches, so that two that want the same wait for
 * each other and do not deadlock: unique values, then records by resource and id with what they refer to, then trees,
 * then the row counts of the plan. What turns up later is taken as it comes; a deadlock repeats the whole transaction.
 */
export async function takeLocks(run: Run, rows: readonly WantedRow[]): Promise<void> {
  const { transaction, actor } = run
  const { companyId } = actor
  const values = await valueLocks(run, rows)
  if (values.length > 0) transaction.send(lockInOrder(values))
  const records = await recordsOf(run, rows)
  for (const [table, wanted] of records) transaction.send(holdInOrder(companyId, table, wanted))
  for (const [table, field] of treesIn(rows)) transaction.send(lockTree(companyId, table, field))
  const limited = [...new Set(rows.map(({ wanted }) => wanted.definition.name))].filter(isPlanLimited).toSorted()
  // One count alone is taken last and held shortest, as by any write.
  if (limited.length > 1) transaction.send(holdSlots(companyId, limited))
}

/** A batch may have thousands of unique values, and the locks of a server are counted. */
const bucketsOfValues = 64

async function valueLocks({ actor, breathe }: Run, rows: readonly WantedRow[]): Promise<string[]> {
  const { companyId } = actor
  const buckets = new Set<string>()
  for (const { wanted } of rows) {
    await breathe()
    for (const field of uniqueFields(wanted.definition)) {
      const value = uniqueValueOf(wanted, field)
      if (typeof value !== 'string') continue
      const bucket = hash('sha256', `${field} ${value.toLowerCase()}`, 'buffer').readUInt32BE() % bucketsOfValues
      buckets.add(`${wanted.definition.name} ${bucket}`)
    }
  }
  const locks = [...buckets].map((bucket) => hash('sha256', `unique ${companyId} ${bucket}`, 'buffer').readBigInt64BE())
  return locks.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)).map(String)
}

/** The value that a unique field gets; of a record that may be new the one by which it is named, too. */
const uniqueValueOf = ({ mayBeNew, externalRef, definition, body }: BatchWanted, field: string): unknown =>
  mayBeNew && field === referenceField ? externalRef?.trim() : acceptable(definition, body, field)

/** Of the record that an operation names; a new one has no id yet. */
const holdOf: { readonly [op in BatchOp]: Hold } = {
  ...{ create: 'for key share', update: 'for no key update', upsert: 'for no key update', delete: 'for update' },
}

type Wanted = { id: number; hold: Hold }

/** By resource, in the order of their ids, each as strongly as anything needs it. */
async function recordsOf(
  { transaction, actor, breathe }: Run,
  rows: readonly WantedRow[],
): Promise<[string, Wanted[]][]> {
  const all = new Map<string, Map<number, number>>()
  const want = (table: string, id: unknown, hold: Hold): void => {
    if (typeof id !== 'number') return
    const ofTable = all.get(table) ?? new Map<number, number>()
    all.set(table, ofTable)
    ofTable.set(id, Math.max(ofTable.get(id) ?? 0, holds.indexOf(hold)))
  }
  const named = await namedTargets(transaction, actor.companyId, rows)
  for (const row of rows) {
    await breathe()
    const { op, definition, id, body, refs } = row.wanted
    want(definition.name, id ?? named.get(row), holdOf[op])
    for (const [name, field] of Object.entries(definition.fields)) {
      if (field.kind !== 'reference' || refs.has(name)) continue
      want(field.to, acceptable(definition, body, name), field.reads ? 'for share' : 'for key share')
    }
  }
  return [...all]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([table, ids]) => [
      table,
      [...ids].toSorted(([one], [other]) => one - other).map(([id, hold]) => ({ id, hold: holds[hold] as Hold })),
    ])
}

/** The records that are named by an external reference, as far as they are there already. */
async function namedTargets(transaction: Transaction, companyId: number, rows: readonly WantedRow[]) {
  const named = rows.filter(({ wanted }) => wanted.externalRef !== undefined)
  const found = new Map<WantedRow, number | null>()
  const groups = [...Map.groupBy(named, ({ wanted }) => wanted.definition)]
  await Promise.all(
    groups.map(async ([definition, group]) => {
      const references = group.map(({ wanted }) => wanted.externalRef)
      const ids = await idsOfReferences(transaction, companyId, definition, references)
      for (const [index, row] of group.entries()) found.set(row, ids[index] ?? null)
    }),
  )
  return found
}

function treesIn(rows: readonly WantedRow[]): [string, string][] {
  const trees = rows.filter(hangsInTree).flatMap(({ wanted: { definition, body } }) =>
    treesOf(definition)
      .filter((name) => Object.hasOwn(body, name))
      .map((name) => `${definition.name}.${name}`),
  )
  return [...new Set(trees)].toSorted().map((tree) => tree.split('.') as [string, string])
}
