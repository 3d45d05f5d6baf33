import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { invalidField, Refusal } from '#registry/refusals.ts'
import { type HeldImport, holdImport, lastOfWrite, moveImport } from '#sql/system/imports.ts'
import type { Transaction } from '../store/database.ts'
import type { SealingKeys } from '../store/seal.ts'
import { type Actor, readWriteId } from './actor.ts'
import { summarizeBatch } from './batch.ts'
import { isOnWords, type RecordsBatch, runRecordsBatch } from './records-batch.ts'

/** The batches of an import, which is one write. Decisions, Import. */

export type ImportBatch = Omit<RecordsBatch, 'dryRun'> & { part: ImportPart }

/** `writeId` is that of the import; undefined if nothing was written. */
export type ImportBatchResult = { data: JsonObject; writeId: string | undefined }

/**
 * Runs a batch under the id of its import. The preview does not depend on the import, so a dry-run of the batch from before
 * the import holds for it. A part in which nothing is to be done is settled with no operations.
 */
export async function importBatch(
  app: { secret: SealingKeys },
  transaction: Transaction,
  actor: Actor,
  { part, ...batch }: ImportBatch,
): Promise<ImportBatchResult> {
  const { definition, operations, ifPlan } = batch
  const strange = operations.findIndex(({ op }) => !ops.includes(op as string))
  if (strange >= 0) throw invalidField(`operations[${strange}].op`, 'not_allowed', 'must be create or update')
  if (ifPlan === undefined && operations.length > 0) throw new Refusal('invalid_header', { detail: planNeeded })
  const { author, after } = await goOn(transaction, actor, definition, part)
  const count = (op: string) => operations.filter((one) => one.op === op && !isOnWords(definition, one)).length
  const progress = { done: part.to, created: count('create'), changed: count('update') }
  transaction.send(moveImport(actor.companyId, part.writeId, progress))
  if (operations.length === 0) return { data: summarizeBatch('all', false, []), writeId: undefined }
  const { data } = await runRecordsBatch(app, transaction, author, { ...batch, dryRun: false }, after)
  return { data, writeId: author.writeId }
}

/** The operations of an import; it deletes nothing. */
const ops: readonly string[] = ['create', 'update']

const planNeeded = 'A batch of an import does what a try has shown: send the hash of its plan in If-Plan.'

/** Throws if the actor has begun no such import. */
export async function ownImport(transaction: Transaction, actor: Actor, { name }: Definition, writeId: string) {
  const [held] = readWriteId(writeId) === writeId ? await transaction.run<HeldImport>(holdImport(actor, writeId)) : []
  if (held?.records !== name) throw new Refusal('not_found', { detail: unknownImport })
  return held
}

const unknownImport = 'You have begun no import with this id here. Begin it anew with its file.'

/** The rows of the file that a batch settles: from the current position of the import to the next. */
export type ImportPart = { writeId: string; from: number; to: number }

/**
 * Returns the author of the next batch, who writes under the id of the import, after its earlier changes. The import is
 * locked until the transaction ends, so that concurrent batches settle each row once.
 */
async function goOn(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  { writeId, from, to }: ImportPart,
): Promise<{ author: Actor; after: number }> {
  const held = await holdUnfinished(transaction, actor, definition, writeId)
  if (from < held.done || to <= from || to > held.rows) {
    const detail = `The first ${held.done} of its ${held.rows} rows are settled; this is about ${from + 1} to ${to}. Go on from there.`
    throw new Refusal('precondition_failed', { detail })
  }
  const [last] = await transaction.run<{ id: number }>(lastOfWrite(actor.companyId, writeId))
  return { author: { ...actor, writeId }, after: last?.id ?? 0 }
}

/** Returns an import of the actor, locked. Throws if any part of it was taken back. */
export async function holdUnfinished(transaction: Transaction, actor: Actor, definition: Definition, writeId: string) {
  const held = await ownImport(transaction, actor, definition, writeId)
  if (held.undone) throw new Refusal('precondition_failed', { detail: takenBack })
  return held
}

const takenBack = 'The import was taken back, so nothing is added to it. Begin another one.'
