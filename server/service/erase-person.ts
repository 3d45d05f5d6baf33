import { erasedText, textsWithValues } from '#derive/stored-texts.ts'
import type { JsonObject } from '#registry/json.ts'
import { erasedValues } from '#registry/persons.ts'
import { registry } from '#registry/resources/index.ts'
import { eraseAddressee } from '#sql/records/papers.ts'
import { eraseHistory, recordsWithText, renameRemovals } from '#sql/records/persons.ts'
import { updateHeld } from '#sql/records/update.ts'
import { type Run, runInOrder, type Statement } from '#sql/statement.ts'
import { updateAccount } from '#sql/system/accounts.ts'
import { eraseAuditOf } from '#sql/system/audit.ts'
import { sweepDetailsOf } from '#sql/system/call-details.ts'
import { lockCompanyWhole } from '#sql/system/companies.ts'
import { forgetMended } from '#sql/system/imports.ts'
import { closeGate } from '#sql/system/locks.ts'
import { deleteDetails, emptyAnswers, emptyAttempts, forgetPassword, noteErasure } from '#sql/system/persons.ts'
import { emptyPreviews, endPreviews } from '#sql/system/previews.ts'
import { deleteSessionsOf } from '#sql/system/sessions.ts'
import type { Actor } from '../records/actor.ts'
import type { Database, Transaction } from '../store/database.ts'
import type { Account } from './account.ts'
import { audit, auditFacts } from './audit-log.ts'
import {
  type ErasureRequest,
  erasedAddressee,
  isErased,
  NotErasable,
  type Person,
  type Remains,
  readPerson,
  remainsOf,
  resourceOf,
  titleOf,
} from './persons.ts'

/**
 * The result of an erasure: the changed fields of the record, all values that the person had, and the records of the
 * books whose papers still name the person.
 */
export type Erasure = { isDone: boolean; fields: string[]; former: unknown[] } & Pick<Remains, 'keptPapers'>

/** Rows that one statement empties. */
const pageRows = 1000

/**
 * Empties the data that the company keeps for days: details of calls, responses to webhooks, texts of stored answers.
 * It runs before the transaction of the erasure, in many short ones, since there may be gigabytes.
 */
export async function emptyKept(database: Database, companyId: number): Promise<void> {
  await runPages(database.read, [...keptTexts(companyId), (most) => sweepDetailsOf(companyId, most)])
}

/** Runs each statement until it finds less than a page of rows. */
async function runPages(run: Run, pages: ReturnType<typeof keptTexts>): Promise<void> {
  for (const page of pages) {
    for (let rows = pageRows; rows === pageRows; ) rows = (await run(page(pageRows))).length
  }
}

const keptTexts = (companyId: number): ((most: number) => Statement)[] => {
  const erased = { members: textsWithValues, instead: erasedText }
  return [
    (most) => emptyAttempts(companyId, most),
    (most) => emptyAnswers('answers', companyId, erased, most),
    (most) => emptyAnswers('batch_answers', companyId, erased, most),
  ]
}

/**
 * Erases a person: the record, its history, the titles of its deletions, papers, and the data that is kept for days.
 * Records that refer to it stay. Returns without a change if all is erased already. Decisions, Persons.
 */
export async function erasePerson(
  transaction: Transaction,
  actor: Actor,
  request: ErasureRequest & { reason: string },
): Promise<Erasure> {
  const { companyId } = request
  // The gate excludes all writes of the company: none adds an old value after this erasure.
  transaction.send(closeGate(companyId))
  await transaction.run(lockCompanyWhole(companyId))
  const person = await readPerson(transaction, request, true)
  refuseActive(person)
  const remains = remainsOf(person, request)
  const { keptPapers } = remains
  if (isErased(remains)) return { isDone: false, fields: [], former: [], keptPapers }

  // Former values in the history and in the titles of deletions.
  const { kind, id } = person
  transaction.send(eraseHistory(companyId, kind.name, id, erasedValues(kind, id)))
  if (remains.removalIds.length > 0) transaction.send(renameRemovals(companyId, remains.removalIds, titleOf(kind, id)))
  for (const [records, papers] of Map.groupBy(remains.papers, (paper) => paper.records)) {
    const ids = papers.map((paper) => paper.id)
    transaction.send(eraseAddressee(companyId, records, ids, erasedAddressee(kind, id)))
  }
  await eraseRecord(transaction, actor, person, remains.values)
  await runPages(transaction.run, keptTexts(companyId))
  transaction.send(deleteDetails(companyId))
  transaction.send(forgetMended(companyId))
  transaction.send(endPreviews(companyId))
  transaction.send(emptyPreviews(companyId))
  transaction.send(noteErasure(companyId))
  const facts = { person: `${kind.name} ${id}`, reason: request.reason }
  await auditFacts(transaction, actor, { records: 'companies', action: 'person_erased', facts })
  return { isDone: true, fields: Object.keys(remains.values), former: remains.former, keptPapers }
}

export function refuseActive({ kind, id, record }: Person): void {
  if (resourceOf(kind) === undefined && record.disabled !== true)
    throw new NotErasable(
      `The account ${id} is active: disable it first ("plumbline account set ${id} --disable"), then erase it.`,
    )
}

/** Sets the record to that of an erased person. Its history has the names of the changed fields and no values. */
async function eraseRecord(
  transaction: Transaction,
  actor: Actor,
  { kind, id, record, version }: Person,
  values: JsonObject,
): Promise<void> {
  const { companyId } = actor
  const changes = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [null, value]]))
  const changedFields = Object.keys(values).length > 0
  const definition = resourceOf(kind)
  // It has no write, so it cannot be undone.
  const author = { ...actor, writeId: null }
  if (definition) {
    if (!changedFields) return
    const updates = [{ id, version: version as number, by: author, values, changes }]
    const update = updateHeld({ author, definition, updates, names: Object.keys(values), isShown: false })
    await runInOrder(transaction.run, ...update)
    return
  }
  await transaction.run(updateAccount(companyId, { ...(record as unknown as Account), ...values }, null))
  transaction.send(forgetPassword(companyId, id))
  transaction.send(deleteSessionsOf(companyId, id, null))
  transaction.send(eraseAuditOf(companyId, id))
  if (changedFields) await audit(transaction, author, { records: kind.name, recordId: id, action: 'changed', changes })
}

/** Records of the company with a former value of a person in a text, by resource; only the first ones of each. */
export type Mention = { records: string; ids: number[] }

/** Shorter values occur everywhere. */
const mentionLengthMin = 4
export const mentionedMax = 20

/** Looks for former values of an erased person in all texts of records. They stay as they are: an operator decides. */
export async function findMentions(database: Database, companyId: number, { former }: Pick<Erasure, 'former'>) {
  const texts = [...new Set(former.flatMap(textsIn))].filter((text) => [...text].length >= mentionLengthMin)
  if (texts.length === 0) return []
  const mentions: Mention[] = []
  for (const definition of registry) {
    const rows = await database.read<{ id: number }>(recordsWithText(companyId, definition, texts, mentionedMax))
    if (rows.length > 0) mentions.push({ records: definition.name, ids: rows.map(({ id }) => id) })
  }
  return mentions
}

/** Returns the texts of a value; of an address those that identify a place. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.trim()]
  if (value === null || typeof value !== 'object') return []
  const { line1, line2 } = value as { line1?: unknown; line2?: unknown }
  return [line1, line2].flatMap((line) => (typeof line === 'string' ? [line.trim()] : []))
}
