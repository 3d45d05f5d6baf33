import { hash } from 'node:crypto'
import { findAcceptable } from '#derive/input.ts'
import { sumsOfRules } from '#derive/sums.ts'
import type { Definition, Relation, Sum } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { isPlanLimited } from '#registry/subscription.ts'
import { referencesOf, uniqueFields } from '#sql/records/columns.ts'
import {
  firstReferring,
  type Hold,
  holdInOrder,
  holdOf,
  holdRelated,
  holdStrengths,
  type LockRequestRow,
  type LookUp,
  lockOrder,
  lockTree,
  mayCascade,
  type RelatedRow,
  type RemovalEffect,
  referringBesides,
  relationsTo,
  seeRelated,
} from '#sql/records/lock-order.ts'
import { readingReferences, settlingReferences } from '#sql/records/prefetch.ts'
import { holdNumbers, holdSlots, seenRecords } from '#sql/records/sets.ts'
import { conflict } from '#sql/statement.ts'
import { takeSums, takeValues, type ValueLock } from '#sql/system/locks.ts'
import type { WriteContext } from './actor.ts'

/** A unique value of a request, whether a record has it or not. */
export type UniqueValue = { records: string; field: string; value: string }

/** Number of lock buckets. The server limits the number of locks, and a batch may have thousands of values. */
const bucketsOfValues = 64

/**
 * Returns the locks of unique values, in the lock order. A batch locks the buckets of its values alone, exclusively.
 * Any other write shares the buckets, and locks the values themselves.
 */
export function locksOfValues(companyId: number, values: readonly UniqueValue[], isBatch = false): ValueLock[] {
  const buckets = new Set<string>()
  const each = new Set<string>()
  for (const { records, field, value } of values) {
    const name = `${records} ${field} ${equalKey(value.trim())}`
    buckets.add(`${records} ${hash('sha256', name, 'buffer').readUInt32BE() % bucketsOfValues}`)
    if (!isBatch) each.add(name)
  }
  return [
    ...keysOf([...buckets].map((bucket) => `values ${companyId} ${bucket}`)).map((key) => ({
      key,
      isShared: !isBatch,
    })),
    ...keysOf([...each].map((name) => `value ${companyId} ${name}`)).map((key) => ({ key, isShared: false })),
  ]
}

/** Locks the sums that rules of a resource read of these records, in their order. */
export const lockSums = (context: WriteContext, definition: Definition, records: readonly Values[]): void =>
  lockNamed(
    context,
    records.flatMap((record) => namesOfSums(definition, record)),
  )

function lockNamed({ transaction, actor: { companyId } }: WriteContext, sums: Iterable<string>): void {
  const keys = keysOf([...new Set(sums)].map((name) => `sum ${companyId} ${name}`))
  if (keys.length > 0) transaction.send(takeSums(companyId, keys))
}

/** Names each sum by the value of its first field, which may stand for several sums. A new record has no id. */
const namesOfSums = (definition: Definition, record: Values): string[] =>
  lockedSums(definition).flatMap(({ name, field }) => {
    const value = record[field]
    return typeof value === 'number' && value > 0 ? [`${definition.name}.${name} ${value}`] : []
  })

/**
 * Returns the field by whose value each sum that a rule reads is locked. Where the records that are added up settle the
 * record, its own lock is enough.
 */
const lockedSums = memoize((definition: Definition): readonly { name: string; field: string }[] =>
  sumsOfRules(definition).flatMap((name) => {
    const { of, by } = (definition.sums as { [name: string]: Sum })[name] as Sum
    const [[reference, field]] = Object.entries(by) as [[string, string]]
    const other = definitionOf(registry, of)
    return other && settlingReferences(other).includes(reference) ? [] : [{ name, field }]
  }),
)

/** Returns advisory locks by their names, sorted: the first 8 bytes of a hash, as PostgreSQL's bigint. */
function keysOf(names: readonly string[]): string[] {
  const keys = names.map((name) => hash('sha256', name, 'buffer').readBigInt64BE())
  return keys.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)).map(String)
}

/** Returns the unique values that a body sends. */
export const valuesSent = (definition: Definition, body: Json): UniqueValue[] =>
  uniqueFields(definition).flatMap((field) => uniqueValue(definition, field, findAcceptable(definition, body, field)))

/** Returns the unique values that a record has. */
export const valuesOfRecord = (definition: Definition, record: { readonly [field: string]: unknown }): UniqueValue[] =>
  uniqueFields(definition).flatMap((field) => uniqueValue(definition, field, record[field]))

const uniqueValue = ({ name }: Definition, field: string, value: unknown): UniqueValue[] =>
  typeof value === 'string' ? [{ records: name, field, value }] : []

type Values = { readonly [field: string]: unknown }

/** The writes of one record in a transaction: their number at most, and the values that they may give it. */
type RecordWrites = { times: number; isUpdated: boolean; values: Values[] }

/**
 * All locks that a transaction takes at once, and its writes, gathered in any order. Records that it makes have negative
 * ids here, and no locks.
 */
export class LockRequest {
  readonly values: UniqueValue[] = []
  /** Records to remove; the records that refer to them are found and locked with them. */
  readonly going = new Map<string, Set<number>>()
  readonly sums = new Set<string>()
  readonly trees = new Set<string>()
  readonly numbered = new Set<string>()
  readonly counted = new Set<string>()
  /** Whether the request depends on no data that another transaction may change. */
  isSettled = false
  readonly #records = new Map<string, Map<number, number>>()
  readonly #writes = new Map<Definition, Map<number, RecordWrites>>()

  /** Adds a record, with the strongest lock that anything needs. */
  want(table: string, id: unknown, hold: Hold): void {
    if (typeof id !== 'number' || id < 0) return
    const ofTable = this.#records.get(table) ?? new Map<number, number>()
    this.#records.set(table, ofTable)
    ofTable.set(id, Math.max(ofTable.get(id) ?? 0, holdStrengths.indexOf(hold)))
  }

  /** Adds the records that the references among `values` lead to, with the locks that the rules need. */
  wantReferred(definition: Definition, values: Values): void {
    for (const [name, type] of referencesOf(definition)) {
      const id = values[name]
      this.want(type.to, id, holdOf(type))
      if (type.settles && typeof id === 'number') this.countWrite(definitionOf(registry, type.to) as Definition, id)
    }
  }

  wantSums(definition: Definition, record: Values): void {
    for (const name of namesOfSums(definition, record)) this.sums.add(name)
  }

  /** Adds a write of a record, with the records to which the values lead that it may get. */
  wantWritten(
    definition: Definition,
    id: number,
    hold: 'for no key update' | 'for update',
    ...values: readonly Values[]
  ): void {
    this.want(definition.name, id, hold)
    for (const each of values) {
      this.wantReferred(definition, each)
      this.wantSums(definition, { ...each, id })
    }
    const writes = this.countWrite(definition, id)
    writes.isUpdated ||= hold === 'for no key update'
    writes.values.push(...values)
  }

  wantRemoved(definition: Definition, id: number): void {
    this.wantWritten(definition, id, 'for update')
    this.wantGone(definition, id)
  }

  /** Adds a record that may be removed: all that refers to it is locked with it. */
  wantGone({ name }: Definition, id: number): void {
    this.want(name, id, 'for update')
    this.going.set(name, new Set([...(this.going.get(name) ?? []), id]))
    this.wantCount(name)
  }

  countWrite(definition: Definition, id: number): RecordWrites {
    const ofTable = this.#writes.get(definition) ?? new Map<number, RecordWrites>()
    this.#writes.set(definition, ofTable)
    const writes = ofTable.get(id) ?? { times: 0, isUpdated: false, values: [] }
    ofTable.set(id, writes)
    writes.times++
    return writes
  }

  /** Returns the records that the transaction writes. */
  written(): { definition: Definition; id: number; writes: RecordWrites }[] {
    return [...this.#writes].flatMap(([definition, ofTable]) =>
      [...ofTable].map(([id, writes]) => ({ definition, id, writes })),
    )
  }

  wantCount(records: string): void {
    if (isPlanLimited(records)) this.counted.add(records)
  }

  /** Returns the records of a table in the order of their ids. */
  recordsOf(table: string): LockRequestRow[] {
    return [...(this.#records.get(table) ?? [])]
      .toSorted(([one], [other]) => one - other)
      .map(([id, hold]) => ({ id, hold: holdStrengths[hold] as Hold }))
  }

  /** Returns the same text for requests with the same locks. */
  toString(): string {
    const records = lockOrder(registry).map((table) => [table, this.recordsOf(table)])
    const going = lockOrder(registry).map((table) => [...(this.going.get(table) ?? [])].toSorted((a, b) => a - b))
    return JSON.stringify([this.values, going, [...this.sums].toSorted(), [...this.trees], records])
  }
}

/**
 * Takes locks in the lock order: values, records, sums, trees, running numbers, counts of the plan. Runs once in a
 * transaction. Single writes take their locks in the statement that reads their data. Decisions, Locks.
 */
async function takeLocks(context: WriteContext, request: LockRequest): Promise<void> {
  const { transaction, actor } = context
  const { companyId } = actor
  const values = locksOfValues(companyId, request.values, true)
  if (values.length > 0) transaction.send(takeValues(companyId, values))
  await holdRecords(context, request.going, (table) => request.recordsOf(table))
  lockNamed(context, request.sums)
  for (const tree of [...request.trees].toSorted()) {
    const [table, field] = tree.split('.') as [string, string]
    transaction.send(lockTree(companyId, table, field))
  }
  // A single one of these is taken later, at its use, and held shortest, as by any write.
  const { numbered, counted } = request
  if (numbered.size + counted.size < 2) return
  if (numbered.size > 0) transaction.send(holdNumbers(companyId, [...numbered].toSorted()))
  if (counted.size > 0) transaction.send(holdSlots(companyId, [...counted].toSorted()))
}

/**
 * Finds the needed locks by `ask`, takes them, and looks again under the locks. Throws a conflict if other locks are
 * needed by then, so that the transaction starts anew.
 */
export async function lockWhatIsSeen(context: WriteContext, ask: () => Promise<LockRequest>): Promise<void> {
  const look = async (): Promise<LockRequest> => {
    const request = await ask()
    await wantReached(context, request)
    await wantSettled(context, request)
    await wantPresent(context, request)
    return request
  }
  const request = await look()
  await takeLocks(context, request)
  if (!request.isSettled && String(await look()) !== String(request)) throw conflict()
}

/**
 * Counts the writes that removals make of records that refer to the removed ones: now, or by a value that another write
 * of the transaction may give them. Where that write decides whether the record is removed along, it counts as removed.
 */
async function wantReached(context: WriteContext, request: LockRequest): Promise<void> {
  const written = request.written()
  // A single removal writes each record once.
  if (request.going.size === 0 || (written.length === 1 && written[0]?.writes.times === 1)) return
  const names = new Set(written.map(({ definition, id }) => `${definition.name} ${id}`))
  for (;;) {
    const { gone, referring } = await followRelations(context, request.going, seeRelated)
    const isGone = (records: string, id: unknown): boolean => gone.get(records)?.has(id as number) === true
    const coming = written.flatMap(({ definition: { name }, id, writes: { values } }) =>
      relationsTo(name).flatMap(({ owner, relation }) =>
        values.some((one) => isGone(owner, one[relation.by])) ? [{ relation, id }] : [],
      ),
    )
    const present = [...referring].flatMap(([relation, rows]) => rows.map(({ id }) => ({ relation, id })))
    const along = [...present, ...coming].filter(
      ({ relation, id }) =>
        mayCascade(relation) && names.has(`${relation.records} ${id}`) && !isGone(relation.records, id),
    )
    for (const { relation, id } of along) request.wantGone(resourceOf(relation), id)
    if (along.length > 0) continue
    for (const { relation, id } of coming) request.want(relation.records, id, 'for update')
    for (const { relation, id } of [...present, ...coming]) request.countWrite(resourceOf(relation), id)
    return
  }
}

const resourceOf = ({ records }: Relation): Definition => definitionOf(registry, records) as Definition

/** Adds the records that written ones settle now, each of which may be written. */
async function wantSettled({ transaction, actor }: WriteContext, request: LockRequest): Promise<void> {
  const written = Map.groupBy(request.written(), ({ definition }) => definition)
  for (const [definition, records] of written) {
    const ids = records.map(({ id }) => id).filter((id) => id > 0)
    if (settlingReferences(definition).length === 0 || ids.length === 0) continue
    for (const record of await transaction.run<JsonObject>(seenRecords(actor.companyId, definition, ids)))
      request.wantReferred(definition, record)
  }
}

/**
 * Adds the records to which written ones refer now: those that rules read; all, where PostgreSQL checks the foreign keys
 * of a row again because the transaction has written it before; and those whose erasure would empty the reference.
 * Decisions, Locks.
 */
async function wantPresent({ transaction, actor }: WriteContext, request: LockRequest): Promise<void> {
  const written = Map.groupBy(request.written(), ({ definition }) => definition)
  await Promise.all(
    [...written].map(async ([definition, records]) => {
      const reading = readingReferences(definition)
      const holdsOf = ({ times, isUpdated }: RecordWrites) =>
        referencesOf(definition).flatMap(([name, type]): { name: string; to: string; hold: Hold }[] => {
          const { to } = type
          const isRead = isUpdated && reading.includes(name)
          if (!isRead && times < 2 && !mayBeErased(to)) return []
          return [{ name, to, hold: isRead ? holdOf(type) : 'for key share' }]
        })
      const isSummed = lockedSums(definition).length > 0
      const wanted = new Map(records.map(({ id, writes }) => [id, holdsOf(writes)] as const))
      const ids = [...wanted].flatMap(([id, holds]) => (id > 0 && (isSummed || holds.length > 0) ? [id] : []))
      if (ids.length === 0) return
      for (const record of await transaction.run<JsonObject>(seenRecords(actor.companyId, definition, ids))) {
        request.wantSums(definition, record)
        for (const { name, to, hold } of wanted.get(record.id as number) ?? []) request.want(to, record[name], hold)
      }
    }),
  )
}

const mayBeErased = (records: string): boolean => definitionOf(registry, records)?.removal.hardWhen !== undefined

/** The records that refer to removed ones, by relation. */
export type ReferringRecords = Map<Relation, { id: number; to: number; effect: RemovalEffect }[]>

type GoneRecords = ReadonlyMap<string, ReadonlySet<number>>

/**
 * Locks records resource by resource in the lock order: the known ones, and those that refer to `going` or to records
 * removed along. Each level takes one statement. A look-up locks the known records of its resource as strongly as found
 * ones, because it may find them too.
 */
export const holdRecords = async (
  context: WriteContext,
  going: GoneRecords,
  known: (table: string) => readonly LockRequestRow[] = () => [],
): Promise<ReferringRecords> => (await followRelations(context, going, holdRelated, known)).referring

/** Finds the records that refer to `going` or to records removed along, by `related`, and all that are removed. */
async function followRelations(
  { transaction, actor: { companyId } }: WriteContext,
  going: GoneRecords,
  related: typeof holdRelated,
  known: (table: string) => readonly LockRequestRow[] = () => [],
): Promise<{ referring: ReferringRecords; gone: GoneRecords }> {
  const order = lockOrder(registry)
  const gone = new Map([...going].map(([table, ids]) => [table, new Set(ids)]))
  const referring: ReferringRecords = new Map()
  let lookUps: LookUp[] = []
  /** Runs the gathered look-ups. Returns the first resource that another statement has to look through. */
  const look = async (): Promise<string | undefined> => {
    const gathered = lookUps
    lookUps = []
    const goingAlong = new Set<string>()
    for (const { records, id, to, effects } of await transaction.run<RelatedRow>(related(companyId, gathered))) {
      const finders = gathered.find(({ table }) => table === records)?.finders ?? []
      for (const [index, { relation }] of finders.entries()) {
        const effect = effects[index]
        if (!effect) continue
        referring.set(relation, [...(referring.get(relation) ?? []), { id, to: to[index] as number, effect }])
        if (effect !== 'cascade') continue
        gone.set(records, (gone.get(records) ?? new Set()).add(id))
        goingAlong.add(records)
      }
    }
    return firstReferring([...goingAlong])
  }
  /**
   * Throws a conflict if a record of the resource began to refer to a removed one after the locking statement had begun.
   * Its lock would be out of order.
   */
  const refuseNewReferring = async (table: string, to: readonly number[], wanted: readonly LockRequestRow[]) => {
    for (const { relation } of relationsTo(table).filter(({ owner }) => owner === table)) {
      const held = [...wanted, ...(referring.get(relation) ?? [])].map(({ id }) => id)
      const found = await transaction.run(referringBesides(companyId, table, relation.by, { to, held }))
      if (found.length > 0) throw conflict()
    }
  }
  for (let place = 0; place < order.length; place++) {
    const table = order[place] as string
    const wanted = known(table)
    const finders = relationsTo(table).flatMap(({ owner, relation }) => {
      const ids = gone.get(owner)
      return ids ? [{ owner, relation, gone: [...ids] }] : []
    })
    if (finders.length > 0) lookUps.push({ table, finders, known: wanted.map(({ id }) => id) })
    const isAlone = finders.length === 0 && wanted.length > 0
    const going = [...(gone.get(table) ?? [])].filter((id) => wanted.some((one) => one.id === id))
    // Only a statement that begins after these are locked sees all records that refer to them.
    const areLocked = finders.length > 0 && going.length > 0
    if (lookUps.length > 0 && (isAlone || areLocked || place === order.length - 1)) {
      const unread = await look()
      if (areLocked) await refuseNewReferring(table, going, wanted)
      if (unread !== undefined && order.indexOf(unread) <= place) {
        place = order.indexOf(unread) - 1
        continue
      }
    }
    if (isAlone) transaction.send(holdInOrder(companyId, table, wanted))
  }
  return { referring, gone }
}
