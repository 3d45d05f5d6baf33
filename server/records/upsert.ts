import { checkValue } from '#derive/check-value.ts'
import type { ExpectedVersion } from '#derive/expected-version.ts'
import { externalRef, referenceField } from '#registry/common.ts'
import { type Definition, type Problem, problem } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { recordOfReference } from '#sql/records/reference.ts'
import { conflict } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { requireHeldRecord } from './expected.ts'
import { locksOfValues, valuesSent } from './locks.ts'
import { onlyRow, type PrefetchedRow, readPrefetch } from './look-up.ts'
import { type Command, createOne, runLocked, updateOne, type WriteEnding } from './write-record.ts'
import { type ChangeResult, type LateConflict, noneLate, takenField } from './write-set.ts'

/** Writes to a record that is named by its external reference. */

export type UpsertResult = ChangeResult & { created: boolean }

type UpsertRequest = WriteEnding & { reference: string; body: Json; expected: ExpectedVersion }

/**
 * Changes the live record with the reference, or creates one. The reference is locked first and then looked up, so that
 * two concurrent calls never both create a record. The record is locked by its id and read again: if it has another
 * reference by then, the transaction starts anew.
 */
export function upsert(
  companyId: number,
  definition: Definition,
  { reference, body, expected, late = noneLate(), isFinal }: UpsertRequest,
): Command<UpsertResult> {
  const value = readReference(reference)
  return {
    locks: locksOfValues(companyId, [...valuesSent(definition, body), referenceValue(definition, value)]),
    prefetch: recordOfReference(companyId, definition, value),
    async execute(transaction, actor, found) {
      if (found) {
        const work = updateOne(companyId, definition, { id: found.id as number, body, expected, late, isFinal })
        const seen = await readPrefetch(transaction, work)
        refuseOtherRecord(found, seen)
        requireHeldRecord(onlyRow(seen), expected)
        refuseOther(value, body)
        return { ...(await work.execute(transaction, actor, seen)), created: false }
      }
      if (expected?.present) throw new Refusal('precondition_failed', { detail: nothingThere })
      refuseOther(value, body)
      const sent = isObject(body) ? { [referenceField]: value, ...body } : body
      const made = await metAtReference(transaction, definition, late, () =>
        runLocked(transaction, actor, createOne(companyId, definition, { body: sent, late, isFinal })),
      )
      return { ...made, created: true, updated: false, changed: [] }
    },
  }
}

/** Returns the work on the live record with a reference. It throws a refusal if there is none. */
export const byReference = <T>(
  companyId: number,
  definition: Definition,
  value: string,
  onId: (id: number) => Command<T>,
  body: Json = {},
): Command<T> => ({
  locks: locksOfValues(companyId, [...valuesSent(definition, body), referenceValue(definition, value)]),
  prefetch: recordOfReference(companyId, definition, value.trim()),
  async execute(transaction, actor, found) {
    if (!found) throw new Refusal('not_found')
    const work = onId(found.id as number)
    const seen = await readPrefetch(transaction, work)
    refuseOtherRecord(found, seen)
    return work.execute(transaction, actor, seen)
  },
})

const referenceValue = ({ name }: Definition, value: string) => ({ records: name, field: referenceField, value })

/** Throws a conflict if the record was deleted or got another reference before it was locked. */
function refuseOtherRecord(found: NonNullable<PrefetchedRow>, seen: PrefetchedRow): void {
  const row = onlyRow(seen)
  const record = row && (JSON.parse(row.json as string) as JsonObject)
  if (record?.[referenceField] !== found.reference) throw conflict()
}

/** Returns a reference as a record would store it. Throws a refusal if no record can have it. */
export function readReference(sent: string): string {
  const { value, problems } = checkValue(externalRef, sent, referenceField)
  if (sent.includes('\0')) problems.push(problem(referenceField, 'wrong_format', 'has a NUL character'))
  if (problems.length > 0) throw invalidFields(problems)
  return value as string
}

/** Throws if the body has another reference. The path names the record, so that is a mistake. */
function refuseOther(value: string, body: Json): void {
  if (!isObject(body) || !Object.hasOwn(body, referenceField)) return
  const sent = body[referenceField]
  if (typeof sent === 'string' && equalKey(sent.trim()) === equalKey(value)) return
  const message = `must be ${JSON.stringify(value)}, as the record is named, or be left out`
  throw invalidField(referenceField, 'not_allowed', message)
}

/**
 * Throws a conflict if somebody else created the record since the look-up, because a retry can change it. The last
 * attempt refuses.
 */
async function metAtReference<T>(
  transaction: Transaction,
  definition: Definition,
  late: LateConflict,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isReferenceTaken(definition, error)) throw error
    if (!transaction.isLast) throw conflict(error)
    transaction.undo()
    late.isUndone = true
    throw new Refusal('reference_conflict')
  }
}

/** Returns whether the look-up or the index found the reference taken. */
function isReferenceTaken(definition: Definition, error: unknown): boolean {
  if (error instanceof Refusal) {
    const problems: readonly Problem[] = error.particulars.errors ?? []
    return problems.some(({ field, code }) => field === referenceField && code === 'not_unique')
  }
  return takenField(definition, (error as Error).cause) === referenceField
}

const nothingThere =
  'If-Match asks for a record that is there, and none has this reference. Leave the header out to make one.'
