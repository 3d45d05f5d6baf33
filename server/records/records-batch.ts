import { readBatch } from '#derive/batch.ts'
import { needOf } from '#derive/batch-operation.ts'
import { wordListsOf } from '#derive/import/words.ts'
import { rightsOfBody } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { recordsBatchMax } from '#registry/limits.ts'
import { permission } from '#registry/permissions.ts'
import { invalidField, Refusal } from '#registry/refusals.ts'
import type { Transaction } from '../store/database.ts'
import type { SealingKeys } from '../store/seal.ts'
import type { Actor } from './actor.ts'
import { batchCommand, type RefusalContext } from './batch.ts'
import { concludeWork, type DryRun } from './preview.ts'
import { needFieldRights } from './rights.ts'
import { runCommand } from './write-record.ts'

export type RecordsBatch = {
  definition: Definition
  /** Operations on the resource name none in `records`; others create words of a list that it refers to. */
  operations: readonly JsonObject[]
  dryRun: boolean
  ifPlan: string | undefined
  call: RefusalContext
}

/** Returns whether an operation is on a list of words that the resource refers to. */
export const isOnWords = ({ name }: Definition, { records = name }: JsonObject): boolean => records !== name

/**
 * Runs a batch of the mode `all` on records of one resource, and on the lists of words that they refer to. `after` is the
 * last change of earlier batches of the same write. The caller rolls a dry-run back.
 */
export async function runRecordsBatch(
  { secret }: { secret: SealingKeys },
  transaction: Transaction,
  actor: Actor,
  { definition, operations, dryRun, ifPlan, call }: RecordsBatch,
  after = 0,
): Promise<Partial<DryRun> & { data: JsonObject }> {
  const own = operations.filter((one) => !isOnWords(definition, one))
  if (own.length > recordsBatchMax) throw tooMany(own.length)
  const strange = operations.findIndex((one) => isOnWords(definition, one) && !wordOps.includes(one.op as string))
  if (strange >= 0) throw invalidField(`operations[${strange}].op`, 'not_allowed', 'must be create')
  const body = { mode: 'all', operations: operations.map((one) => ({ records: definition.name, ...one })) }
  const among = [definition, ...wordListsOf(definition)]
  for (const row of body.operations) {
    const need = needOf(row, among)
    if (need) actor.mayDo?.(permission(need.definition.name, need.action))
  }
  needFieldRights(
    actor,
    own.flatMap((one) => rightsOfBody(definition, one.body)),
  )
  const command = batchCommand(readBatch(body, among), dryRun, call)
  const { data, effects } = await runCommand(transaction, actor, command)
  const outcome = await concludeWork(transaction, actor, secret, {
    ...{ dryRun, ifPlan, effects, after },
    call: { method: 'POST', path: `/records/${definition.name}/batch`, body, conditions: {} },
  })
  return { ...outcome, data }
}

/** The operations on lists of words. */
const wordOps: readonly string[] = ['create']

const tooMany = (count: number): Refusal =>
  new Refusal('payload_too_large', {
    detail: `The batch has ${count} operations; send at most ${recordsBatchMax} in one.`,
  })
