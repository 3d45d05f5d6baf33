import { type BatchRow, readBatch } from '#derive/batch.ts'
import type { BatchOp } from '#derive/batch-operation.ts'
import { rowProblems, rowRefusal } from '#derive/refusals.ts'
import type { JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import {
  type BatchResult,
  batchCommand,
  formatRefused,
  type RowCommand,
  summarizeBatch,
  summarizeRow,
} from '../../records/batch.ts'
import { type AcceptedRow, fillIn, inBody, type OperationResult } from '../../records/batch-run.ts'
import { createRemoval } from '../../records/remove.ts'
import { byReference, upsert } from '../../records/upsert.ts'
import { type Command, createOne, updateOne } from '../../records/write-record.ts'
import type { Series, WriteCommand, WriteHandler } from '../handler.ts'
import { createResponse } from '../response.ts'

/** `all` is one command. In `each`, every operation is one, except in a dry-run. */
export const batch: WriteHandler =
  ({ success }) =>
  (companyId, call, { dryRun, body, ifPlan }) => {
    const read = readBatch(body)
    const { mode, rows } = read
    if (mode === 'each' && ifPlan !== undefined) throw new Refusal('invalid_header', { detail: planOfEach })
    return {
      ...batchCommand(read, dryRun, call),
      respond: ({ data, effects }: BatchResult) => ({ ...createResponse(success, data), effects }),
      rows: rows.length,
      ...(mode === 'each' && {
        series: {
          length: rows.length,
          part: (n, outcomeOf) => partOf(companyId, rows[n] as BatchRow, outcomeOf),
          refused: (n, refusal) => formatRefused(rows[n] as BatchRow, refusal, call),
          respond: (outcomes) => createResponse(success, summarizeBatch(mode, dryRun, outcomes)),
        } satisfies Series,
      }),
    }
  }

const planOfEach =
  'If-Plan is for a batch of the mode all; with each, every operation is done by itself. Leave the header out.'

/** Returns an operation as a command of its own. */
function partOf(companyId: number, row: BatchRow, outcomeOf: (n: number) => JsonObject): WriteCommand<JsonObject> {
  if ('problems' in row) throw rowRefusal(row.problems)
  const { execute, ...command } = single(companyId, row, outcomeOf)
  return {
    ...command,
    async execute(...context) {
      try {
        return await execute(...context)
      } catch (error) {
        throw error instanceof Refusal ? inBody(error) : error
      }
    },
    respond: (result: OperationResult) => summarizeRow(row, false, result).row,
  }
}

const commands: { readonly [op in BatchOp]: RowCommand } = {
  create: (companyId, definition, row) => createOne(companyId, definition, { ...row, id: null }),
  update: updateOne,
  upsert,
  delete: createRemoval,
}

function single(
  companyId: number,
  { wanted }: AcceptedRow,
  outcomeOf: (n: number) => JsonObject,
): Command<OperationResult> {
  const { op, definition, externalRef: reference = '', mayBeNew, expected } = wanted
  // References are filled in before any look-up, so that a refused operation refuses those that refer to it, whatever
  // their records are.
  const { body, lost } = fillIn(wanted, (n) => (outcomeOf(n).data as { id: number } | undefined)?.id)
  if (lost.length > 0) throw rowRefusal(rowProblems(lost))
  const onId = (id: number) => commands[op](companyId, definition, { id, reference, body, expected })
  // An operation that may create finds its record itself, or none.
  const isNamed = wanted.externalRef !== undefined && !mayBeNew
  return isNamed ? byReference(companyId, definition, reference, onId, body) : onId(wanted.id ?? 0)
}
