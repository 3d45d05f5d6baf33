import { checkValue } from '#derive/check-value.ts'
import { externalRef, referenceField } from '#registry/common.ts'
import { type Definition, type Problem, problem } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { fieldOfIndex } from '#sql/records/columns.ts'
import { recordOfReference } from '#sql/records/reference.ts'
import { conflict } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import { type Command, type PrefetchedRow, readPrefetch, runLocked } from './command.ts'
import type { ExpectedVersion } from './expected.ts'
import { locksOfValues, valuesSent } from './locks.ts'
import { onlyRow } from './look-up.ts'
import { createRemoval, type PermissionCheck, type RemovalResult } from './remove.ts'
import { createOne, requireHeldRecord, updateOne } from './write-record.ts'
import { type ChangeResult, type LateConflict, noneLate } from './write-set.ts'

/** Writes by the identifier that the caller has for a record. */

export type UpsertResult = ChangeResult & { created: boolean }

/** `isFinal`: nothing is asked after it but the commit. */
type UpsertRequest = { definition: Definition; value: string; expected: ExpectedVersion; isFinal?: boolean }

/**
 * Changes the live record with the reference, or makes one. The reference is locked, then looked up, in that order:
 * two who write by it never both make a record. The record is locked by its id and looked at again: where it has
 * another reference by then, the transaction starts anew.
 */
export const upsert = (
  companyId: number,
  wanted: UpsertRequest & { body: Json },
  late = noneLate(),
): Command<UpsertResult> => {
  const { definition, body, expected, isFinal = false } = wanted
  const value = readReference(wanted.value)
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
      const given = isObject(body) ? { [referenceField]: value, ...body } : body
      const made = await metAtReference(transaction, definition, late, () =>
        runLocked(transaction, actor, createOne(companyId, definition, { body: given, late, isFinal })),
      )
      return { ...made, created: true, changed: [], previewed: [] }
    },
  }
}

/** Deletes the live record with the reference; its id, too. */
export const removalByReference = (
  companyId: number,
  { definition, value, expected, mayDo }: UpsertRequest & { mayDo?: PermissionCheck | undefined },
): Command<RemovalResult> =>
  byReference(companyId, definition, value, (id) => createRemoval(companyId, { definition, id, expected, mayDo }))

/** Work on the live record with a reference, or the refusal where there is none. */
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

/** By the time that the record was locked it may be gone or have another reference. */
function refuseOtherRecord(found: NonNullable<PrefetchedRow>, seen: PrefetchedRow): void {
  const row = onlyRow(seen)
  const record = row && (JSON.parse(row.json as string) as JsonObject)
  if (record?.[referenceField] !== found.reference) throw conflict()
}

/** A reference as a record would have it, or the refusal of what none can have. */
export function readReference(given: string): string {
  const { value, problems } = checkValue(externalRef, given, referenceField)
  if (given.includes('\0')) problems.push(problem(referenceField, 'wrong_format', 'has a NUL character'))
  if (problems.length > 0) throw invalidFields(problems)
  return value as string
}

/** The record is named in one place: a body that names another is a slip. */
function refuseOther(value: string, body: Json): void {
  if (!isObject(body) || !Object.hasOwn(body, referenceField)) return
  const given = body[referenceField]
  if (typeof given === 'string' && given.trim().toLowerCase() === value.toLowerCase()) return
  const message = `must be ${JSON.stringify(value)}, as the record is named, or be left out`
  throw invalidField(referenceField, 'not_allowed', message)
}

/** Somebody else made the record since it was looked for: then there is one to change. */
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

/** Whether the reference was found taken, by the look-up or by the index. */
function isReferenceTaken(definition: Definition, error: unknown): boolean {
  if (error instanceof Refusal) {
    const problems: readonly Problem[] = error.particulars.errors ?? []
    return problems.some(({ field, code }) => field === referenceField && code === 'not_unique')
  }
  const index = violatedIndex((error as Error).cause)
  return index !== undefined && fieldOfIndex(definition, index) === referenceField
}

const nothingThere =
  'If-Match asks for a record that is there, and none has this reference. Leave the header out to make one.'
