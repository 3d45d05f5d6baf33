import type { BatchOp, BatchOperation } from '#derive/batch-operation.ts'
import { findAcceptable } from '#derive/input.ts'
import { referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import { Refusal } from '#registry/refusals.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import { takeValues } from '#sql/system/locks.ts'
import { type AcceptedRow, hangsInTree, type Run } from './batch-run.ts'
import { LockRequest, locksOfValues, lockWhatIsSeen, type UniqueValue, valuesSent } from './locks.ts'
import { numberedFields } from './numbers.ts'

/**
 * Takes all locks that a batch is known to need, in the lock order. Unique values come first, so that an external
 * reference keeps its record.
 */
export async function lockBatch(run: Run, rows: readonly AcceptedRow[]): Promise<void> {
  const { transaction, actor } = run
  const { companyId } = actor
  const values: UniqueValue[] = []
  for (const { wanted } of rows) {
    await run.breathe()
    values.push(...valuesSent(wanted.definition, wanted.body), ...valueOfName(wanted))
  }
  if (values.length > 0) transaction.send(takeValues(companyId, locksOfValues(companyId, values, true)))
  await lockWhatIsSeen(run, () => requestOf(run, rows))
}

/** Returns the external reference that names the record, as a unique value. */
const valueOfName = ({ externalRef, definition: { name } }: BatchOperation): UniqueValue[] =>
  externalRef === undefined ? [] : [{ records: name, field: referenceField, value: externalRef }]

/** The operations that may create a record. */
const makes: readonly BatchOp[] = ['create', 'upsert']
/** The operation that removes a record. */
const removes: readonly BatchOp[] = ['delete']

async function requestOf(run: Run, rows: readonly AcceptedRow[]): Promise<LockRequest> {
  const request = new LockRequest()
  const targets = await targetsOf(run, rows)
  request.isSettled = rows.every(({ wanted }) => (wanted.id ?? wanted.externalRef) === undefined)
  for (const row of rows) {
    await run.breathe()
    const { op, definition, body, refs } = row.wanted
    const sent = Object.keys(definition.fields).filter((name) => !refs.has(name))
    const values = Object.fromEntries(sent.map((name) => [name, findAcceptable(definition, body, name)]))
    const filledIn = [...refs].flatMap(([field, n]) => (targets.get(n) ?? []).map((id) => ({ [field]: id })))
    for (const id of targets.get(row.n) ?? [])
      if (removes.includes(op)) request.wantRemoved(definition, id)
      else request.wantWritten(definition, id, 'for no key update', values, ...filledIn)
    if (makes.includes(op)) {
      request.wantCount(definition.name)
      const draws = numberedFields(definition).some(({ name }) => (body[name] ?? null) === null)
      if (draws) request.numbered.add(definition.name)
    }
    if (hangsInTree(row))
      for (const name of treesOf(definition))
        if (Object.hasOwn(body, name)) request.trees.add(`${definition.name}.${name}`)
  }
  return request
}

/**
 * Returns the ids of the records that each operation may write, by its number: of those that it names now, or that an
 * earlier operation lets it name. Records that the batch makes have negative ids.
 */
async function targetsOf(run: Run, rows: readonly AcceptedRow[]): Promise<ReadonlyMap<number, readonly number[]>> {
  const named = await namedTargets(run, rows)
  const given = new Map<string, number[]>()
  return new Map(
    rows.map((row) => {
      const { op, id, externalRef, definition, body } = row.wanted
      const nameOf = (reference: string): string => `${definition.name} ${equalKey(reference.trim())}`
      const ids =
        id !== undefined
          ? [id]
          : [
              ...(named.get(row) ?? []),
              ...(externalRef === undefined ? [] : (given.get(nameOf(externalRef)) ?? [])),
              ...(makes.includes(op) ? [-1 - row.n] : []),
            ]
      const reference = body[referenceField] ?? externalRef
      if (typeof reference === 'string') given.set(nameOf(reference), [...(given.get(nameOf(reference)) ?? []), ...ids])
      return [row.n, [...new Set(ids)]]
    }),
  )
}

/** Returns the ids of records that an external reference names; none for those that do not exist yet. */
async function namedTargets(run: Run, rows: readonly AcceptedRow[]) {
  const named = rows.filter(({ wanted }) => wanted.externalRef !== undefined)
  const found = new Map<AcceptedRow, readonly number[]>()
  const groups = [...Map.groupBy(named, ({ wanted }) => wanted.definition)]
  await Promise.all(
    groups.map(async ([definition, group]) => {
      const references = group.map(({ wanted }) => wanted.externalRef)
      const ids = await idsOfReferences(run, definition, references)
      for (const [index, row] of group.entries())
        found.set(
          row,
          ids.slice(index, index + 1).filter((id) => id !== null),
        )
    }),
  )
  return found
}

/** Returns the id of the live record with an external reference. Throws a refusal if there is none. */
export async function idOfReference(run: Run, definition: Definition, reference: string): Promise<number> {
  const [id] = await idsOfReferences(run, definition, [reference])
  if (id === null || id === undefined) throw new Refusal('not_found')
  return id
}

/** Returns the ids of live records by their external references; null where there is none. */
export async function idsOfReferences(
  { transaction, actor }: Run,
  definition: Definition,
  references: readonly (string | undefined)[],
): Promise<(number | null)[]> {
  const trimmed = references.map((reference) => reference?.trim() ?? null)
  const rows = await transaction.run<HolderRow>(holdersOf(actor.companyId, definition, referenceField, trimmed))
  const holders = new Map(rows.map(({ place, holder }) => [place, holder]))
  return references.map((_, index) => holders.get(index + 1) ?? null)
}
