import type { BatchDone } from '#derive/console/done.ts'
import type { Attempted, Part } from '#derive/import/importer.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { Refusal, refusedRow, type WritePlan } from '#registry/refusals.ts'
import type { App } from '../app.ts'
import { type ImportBatch, importBatch } from '../pipeline/import-batch.ts'
import { operatorCaller, runWrite } from '../writes/run-write.ts'

type Where = { app: App; definition: Definition; companyId: number }

const call = { params: {}, requestId: 'command', errorsPage: '/docs/errors' }

/** What the operations would do. */
export async function attempt(where: Where, operations: readonly JsonObject[]): Promise<Attempted> {
  try {
    const { body } = await run(where, { operations, part: undefined, ifPlan: undefined })
    const { data, plan } = JSON.parse(body) as { data: BatchDone; plan: WritePlan }
    return { changed: data.operations.map(({ data: { changed } }) => changed ?? null), plan }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'batch_refused') throw error
    return { refused: (error.particulars.refused ?? []).map((one) => refusedRow(one, call.requestId, call.errorsPage)) }
  }
}

/** Does a part, together with the word that it is done. */
export async function applyPart(
  { writeId, ...where }: Where & { writeId: string },
  { from, to, operations, plan }: Part,
): Promise<'done' | 'changed'> {
  try {
    await run(where, { operations, part: { writeId, from, to }, ifPlan: plan ?? undefined })
    return 'done'
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'plan_changed' || error.code === 'batch_refused')) return 'changed'
    throw error
  }
}

const run = async (
  { app, definition, companyId }: Where,
  batch: Pick<ImportBatch, 'operations' | 'part' | 'ifPlan'>,
) => {
  const { answer } = await runWrite(app.database, {
    caller: operatorCaller(companyId),
    dryRun: batch.part === undefined,
    work: { execute: (transaction, actor) => importBatch(app, transaction, actor, { definition, ...batch, call }) },
  })
  return answer
}
