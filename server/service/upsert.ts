import { checkValue } from '#derive/check-value.ts'
import { externalRef, referenceField } from '#registry/common.ts'
import { type Definition, type Problem, problem } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { holdByReference, lockReference } from '#sql/records/reference.ts'
import { conflict } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { type Command, runCommand } from './command.ts'
import { type Expected, expectVersion } from './expected.ts'
import { type MayDo, type Removed, removal } from './remove-record.ts'
import { change, creation, type Written } from './write-record.ts'

/** Writes by the identifier that the caller has for a record. */

export type Upserted = Written & { created: boolean; changed: string[] }

type Wanted = { definition: Definition; value: string; expected: Expected }

/**
 * Changes the live record with the reference, or makes one. The reference is locked, then looked up, in that order:
 * two who write by it never both make a record. Who makes one without the lock is met at the unique index, and seen
 * when the transaction runs again.
 */
export const upsert = (companyId: number, wanted: Wanted & { body: Json }): Command<Upserted> => {
  const { definition, body, expected } = wanted
  const value = readReference(wanted.value)
  return {
    prefetch: lockReference(companyId, definition, value),
    async execute(transaction, actor) {
      const found = await find(transaction, companyId, { definition, value, lock: 'for no key update' })
      if (found) expectVersion(found.version, expected)
      else if (expected?.present) throw new Refusal('precondition_failed', { detail: nothingThere })
      refuseOther(value, body)
      if (found) {
        const { id } = found
        const changed = await runCommand(transaction, actor, change(companyId, definition, id, body, expected))
        return { ...changed, created: false }
      }
      const given = isObject(body) ? { [referenceField]: value, ...body } : body
      const made = await metAtReference(transaction, () =>
        runCommand(transaction, actor, creation(companyId, definition, given)),
      )
      return { ...made, created: true, changed: [] }
    },
  }
}

/** Deletes the live record with the reference; its id, too. */
export const removalByReference = (
  companyId: number,
  { definition, value, expected, mayDo }: Wanted & { mayDo?: MayDo | undefined },
): Command<Removed> => ({
  prefetch: lockReference(companyId, definition, value),
  async execute(transaction, actor) {
    const found = await find(transaction, companyId, { definition, value, lock: 'for update' })
    if (!found) throw new Refusal('not_found')
    return runCommand(transaction, actor, removal(companyId, { definition, id: found.id, expected, mayDo }))
  },
})

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

async function find(
  transaction: Transaction,
  companyId: number,
  { definition, value, lock }: Pick<Wanted, 'definition' | 'value'> & { lock: string },
): Promise<{ id: number; version: number } | undefined> {
  const held = holdByReference(companyId, definition, value, lock)
  const [row] = await transaction.run<{ id: number; version: number }>(held)
  return row
}

/** Somebody else made the record since it was looked for: then there is one to change. */
async function metAtReference<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problems: readonly Problem[] = error instanceof Refusal ? (error.particulars.errors ?? []) : []
    if (!problems.some(({ field, code }) => field === referenceField && code === 'not_unique')) throw error
    if (!transaction.isLast) throw conflict(error)
    transaction.undo()
    throw new Refusal('reference_conflict')
  }
}

const nothingThere =
  'If-Match asks for a record that is there, and none has this reference. Leave the header out to make one.'
