import { rightsOfBody } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { invalidField, Refusal } from '#registry/refusals.ts'
import { moveImport } from '#sql/system/imports.ts'
import type { Actor } from '../records/actor.ts'
import { runCommand } from '../records/command.ts'
import { needFieldRights } from '../records/rights.ts'
import { goOn, type ImportPart } from '../service/imports.ts'
import type { Transaction } from '../store/database.ts'
import type { App } from './app.ts'
import { conclude } from './conclude.ts'
import type { CallOfWrite } from './handler.ts'
import { writeBatch } from './handlers/batch.ts'
import { createResponse as answerOf } from './handlers/response.ts'
import type { StoredResponse } from './stored-response.ts'

export type ImportBatch = {
  definition: Definition
  /** Creates and updates of a batch. They name no resource: it is the imported one. */
  operations: readonly JsonObject[]
  /** The part of the import; undefined in a dry-run. */
  part: ImportPart | undefined
  ifPlan: string | undefined
  call: CallOfWrite
}

/**
 * Runs a batch of the mode `all` on records of one resource, as a dry-run or under the id of its import. The preview
 * does not depend on the import, so a dry-run from before the import holds for it. A part in which nothing is to be
 * done is settled with no operations. The caller rolls a dry-run back.
 */
export async function importBatch(
  app: Pick<App, 'secret'>,
  transaction: Transaction,
  actor: Actor,
  { definition, operations, part, ifPlan, call }: ImportBatch,
): Promise<StoredResponse> {
  const dryRun = part === undefined
  const strange = operations.findIndex(({ op }) => !ops.includes(op as string))
  if (strange >= 0) {
    const message = 'must be create or update'
    throw invalidField(`operations[${strange}].op`, 'not_allowed', message)
  }
  if (part && ifPlan === undefined && operations.length > 0) throw new Refusal('invalid_header', { detail: planNeeded })
  const body = { mode: 'all', operations: operations.map((one) => ({ ...one, records: definition.name })) }
  needFieldRights(
    actor,
    operations.flatMap((one) => rightsOfBody(definition, one.body)),
  )
  const intent = {
    dryRun,
    body,
    ifPlan,
    expected: undefined,
    conditions: { ifMatch: undefined, ifNoneMatch: undefined },
  }
  const as = part ? await goOn(transaction, actor, definition, part) : { actor, after: 0 }

  const answer =
    part && operations.length === 0
      ? answerOf(200, { mode: 'all', dry_run: false, done: 0, refused: 0, operations: [] })
      : await conclude(
          app,
          transaction,
          { ...as, call: { route: { method: 'POST' }, path: `/import/${definition.name}` }, intent },
          await runCommand(transaction, as.actor, writeBatch([definition])(actor.companyId, call, intent)),
        )
  if (!part) return answer
  const count = (op: string) => operations.filter((one) => one.op === op).length
  const moved = { done: part.to, created: count('create'), changed: count('update') }
  await transaction.run(moveImport(as.actor.companyId, as.actor.writeId, moved))
  return answer
}

/** The operations of an import; it deletes nothing. */
const ops: readonly string[] = ['create', 'update']

const planNeeded = 'A batch of an import does what a try has shown: send the hash of its plan in If-Plan.'
