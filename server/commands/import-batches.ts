import type { BatchSummary } from '#derive/console/results.ts'
import type { SessionService } from '#derive/import/session.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { type Preview, problemBody, Refusal } from '#registry/refusals.ts'
import type { App } from '../app.ts'
import { importBatch } from '../pipeline/import-batch.ts'
import { operator } from '../records/actor.ts'
import { beginImport, type ImportPart, listImports, lookUpValues } from '../service/imports.ts'
import type { Transaction } from '../store/database.ts'
import { operatorCaller, runWrite } from '../writes/run-write.ts'

type ImportContext = { app: App; definition: Definition; companyId: number }

const call = { params: {}, requestId: 'command', errorsPage: '/docs/errors' }

/** Returns the operations of an import, as the command does them without HTTP. */
export function serviceOf({ app, definition, companyId }: ImportContext): SessionService {
  const transact = <Result>(run: (transaction: Transaction) => Promise<Result>) => app.database.transaction(run)
  /** Writes a part, or tries operations if there is none. */
  async function run(operations: readonly JsonObject[], part?: ImportPart, ifPlan?: string) {
    const { answer } = await runWrite(app.database, {
      caller: operatorCaller(companyId),
      dryRun: part === undefined,
      work: {
        execute: (transaction, actor) =>
          importBatch(app, transaction, actor, { definition, operations, part, ifPlan, call }),
      },
    })
    return JSON.parse(answer.body) as { data: BatchSummary; plan: Preview }
  }
  return {
    list: () => transact((transaction) => listImports(transaction, operator(companyId), definition.name)),
    begin: (write) =>
      transact((transaction) => beginImport(transaction, operator(companyId), { records: definition.name, ...write })),
    lookUp: (field, values) =>
      transact((transaction) => lookUpValues(transaction, companyId, definition, { field, values })),
    attempt: (operations) => run(operations),
    apply: (writeId, { from, to, operations, plan }) => run(operations, { writeId, from, to }, plan ?? undefined),
    refusalOf: (error) => (error instanceof Refusal ? problemBody(error, call.requestId, call.errorsPage) : undefined),
  }
}
