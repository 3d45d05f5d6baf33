import type { BatchSummary } from '#derive/console/results.ts'
import type { SessionService } from '#derive/import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { type Preview, Refusal, refusedRow } from '#registry/refusals.ts'
import type { ImportRow } from '#sql/system/imports.ts'
import type { App } from '../app.ts'
import { type ImportBatch, importBatch } from '../pipeline/import-batch.ts'
import { operator } from '../records/actor.ts'
import { beginImport, listImports, lookUpValues } from '../service/imports.ts'
import { operatorCaller, runWrite } from '../writes/run-write.ts'

type ImportContext = { app: App; definition: Definition; companyId: number }

const call = { params: {}, requestId: 'command', errorsPage: '/docs/errors' }

/** Returns the operations of an import without HTTP. */
export const serviceOf = (where: ImportContext): SessionService<ImportRow> => ({
  list: () =>
    where.app.database.transaction((transaction) => listImports(transaction, where.companyId, where.definition.name)),
  begin: (write) =>
    where.app.database.transaction((transaction) =>
      beginImport(transaction, operator(where.companyId), { records: where.definition.name, ...write }),
    ),
  lookUp: (field, values) =>
    where.app.database.transaction((transaction) =>
      lookUpValues(transaction, where.companyId, where.definition, { field, values }),
    ),
  async attempt(operations) {
    try {
      const { body } = await run(where, { operations, part: undefined, ifPlan: undefined })
      const { data, plan } = JSON.parse(body) as { data: BatchSummary; plan: Preview }
      return { changed: data.operations.map(({ data: { changed } }) => changed ?? null), plan }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'batch_refused') throw error
      const refused = error.particulars.refused ?? []
      return { refused: refused.map((one) => refusedRow(one, call.requestId, call.errorsPage)) }
    }
  },
  async apply(writeId, { from, to, operations, plan }) {
    try {
      await run(where, { operations, part: { writeId, from, to }, ifPlan: plan ?? undefined })
      return 'done'
    } catch (error) {
      if (error instanceof Refusal && ['plan_changed', 'batch_refused'].includes(error.code)) return 'changed'
      throw error
    }
  },
})

const run = async (
  { app, definition, companyId }: ImportContext,
  batch: Pick<ImportBatch, 'operations' | 'part' | 'ifPlan'>,
) => {
  const { answer } = await runWrite(app.database, {
    caller: operatorCaller(companyId),
    dryRun: batch.part === undefined,
    work: { execute: (transaction, actor) => importBatch(app, transaction, actor, { definition, ...batch, call }) },
  })
  return answer
}
