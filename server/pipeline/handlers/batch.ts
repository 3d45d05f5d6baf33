import { type Batch, type BatchRow, readBatch } from '#derive/batch.ts'
import { batchRefused, rowProblems, rowRefusal } from '#derive/refusals.ts'
import { routesOn } from '#derive/routes.ts'
import { Refusal, type RefusedOperation, refusedRow } from '#registry/refusals.ts'
import { type Registry, servedResources } from '#registry/resources/index.ts'
import { conflict } from '#sql/statement.ts'
import { expectedOf, readTags } from '../../protocol/entity-tags.ts'
import { createBreather, runBatch } from '../../records/batch.ts'
import {
  type AcceptedRow,
  fillIn,
  inBody,
  type OperationResult,
  type OrderedOperation,
} from '../../records/batch-run.ts'
import { type Command, resultOf } from '../../records/command.ts'
import type { Effect } from '../../records/preview.ts'
import { byReference } from '../../records/upsert.ts'
import { noneLate } from '../../records/write-set.ts'
import type { CallOfWrite, Series, Write, WriteHandler } from '../handler.ts'
import type { StoredResponse } from '../stored-response.ts'
import { formatDone, writeRecord } from './record-writes.ts'

export const batch: WriteHandler = () => writeBatch(servedResources)

/** `all` is one command. In `each`, every operation is one, except in a dry-run. */
export const writeBatch =
  (among: Registry): Write =>
  (companyId, call, { dryRun, body, ifPlan }) => {
    const { mode, rows: read } = readBatch(body, among)
    if (mode === 'each' && ifPlan !== undefined) throw new Refusal('invalid_header', { detail: planOfEach })
    const rows = read.map(orderOperation)
    const say = (texts: readonly string[]): StoredResponse => envelopeOf({ mode, dryRun }, texts)
    const late = noneLate()
    return {
      rows: rows.length,
      prefetch: null,
      async execute(transaction, actor) {
        const outcomes = await runBatch(transaction, actor, rows, late)
        const refused = rows.flatMap(({ n, as }): RefusedOperation[] => {
          const outcome = outcomes[n]
          return outcome instanceof Refusal ? [{ n, as, refusal: outcome }] : []
        })
        if (refused.length > 0 && mode === 'all') {
          transaction.undo()
          throw batchRefused(rows.length, refused)
        }
        const breathe = createBreather()
        const texts: string[] = []
        const effects: Effect[] = []
        for (const row of rows) {
          const outcome = outcomes[row.n]
          // Rolled back in the middle: a retry finds the values that were taken.
          if (!outcome) throw conflict(`operation ${row.n} was not come to`)
          if (outcome instanceof Refusal) texts.push(refusedText(call, row, outcome))
          else {
            const done = doneAnswer(row, outcome, dryRun)
            texts.push(textOfAnswer(row, done))
            effects.push(...(done.effects ?? []))
          }
          await breathe()
        }
        return { ...say(texts), effects }
      },
      ...(mode === 'each' ? { series: seriesOf(companyId, call, rows, say) } : {}),
    }
  }

const planOfEach =
  'If-Plan is for a batch of the mode all; with each, every operation is done by itself. Leave the header out.'

/** Adds the expected version of the record. A condition that cannot be parsed is a problem of the operation. */
function orderOperation(row: BatchRow): OrderedOperation {
  if ('problems' in row || row.wanted.ifMatch === undefined) return { ...row, expected: undefined }
  const ifMatch = readTags(row.wanted.ifMatch)
  if (ifMatch) return { ...row, expected: expectedOf({ ifMatch }) }
  const message = 'must be * or a list of ETags in quotes, as ETag gave them'
  const problems = [{ field: 'if_match', code: 'wrong_format' as const, message }]
  return { n: row.n, as: row.as, problems, expected: undefined }
}

/** Runs each operation like a call of its own. */
const seriesOf = (
  companyId: number,
  call: CallOfWrite,
  rows: readonly OrderedOperation[],
  say: Series['say'],
): Series => ({
  length: rows.length,
  part(n, textOf) {
    const row = rows[n] as OrderedOperation
    if ('problems' in row) throw rowRefusal(row.problems)
    return resultOf(saidInBody(single(companyId, row, textOf)), (answer) => textOfAnswer(row, answer))
  },
  refused: (n, refusal) => refusedText(call, rows[n] as OrderedOperation, refusal),
  say,
})

function single(companyId: number, row: AcceptedRow, textOf: (n: number) => string): Command<StoredResponse> {
  const { expected, wanted } = row
  const { op, definition, externalRef: reference = '', mayBeNew } = wanted
  // References are filled in before any look-up, so that a refused operation refuses those that refer to it, whatever
  // their records are.
  const { body, lost } = fillIn(wanted, (n) => (JSON.parse(textOf(n)) as { data?: { id: number } }).data?.id)
  if (lost.length > 0) throw rowRefusal(rowProblems(lost))
  const onId = (id: number): Command<StoredResponse> =>
    writeRecord(op, companyId, { definition, id, reference, body, expected }, routesOn(definition)[op], false)
  // An operation that may create finds its record itself, or none.
  const isNamed = wanted.externalRef !== undefined && !mayBeNew
  return isNamed ? byReference(companyId, definition, reference, onId, body) : onId(wanted.id ?? 0)
}

const saidInBody = ({ execute, ...command }: Command<StoredResponse>): Command<StoredResponse> => ({
  ...command,
  async execute(...asked) {
    try {
      return await execute(...asked)
    } catch (error) {
      throw error instanceof Refusal ? inBody(error) : error
    }
  },
})

function doneAnswer(row: OrderedOperation, outcome: OperationResult, dryRun: boolean): StoredResponse {
  if (!('wanted' in row)) throw new Error('an operation with problems was done')
  const { op, definition } = row.wanted
  return formatDone(op, routesOn(definition)[op], dryRun, outcome)
}

type NumberedOperation = { n: number; as: string | undefined }

function textOfAnswer({ n, as }: NumberedOperation, { status, headers, body }: StoredResponse): string {
  const head = JSON.stringify({ n, as, status, etag: headers.ETag })
  // The envelope of the single call, merged into one object with the members before it.
  return `${head.slice(0, -1)},${body.slice(1)}`
}

const refusedText = ({ requestId, errorsPage }: CallOfWrite, { n, as }: NumberedOperation, refusal: Refusal): string =>
  JSON.stringify(refusedRow({ n, as, refusal }, requestId, errorsPage))

function envelopeOf(
  { mode, dryRun }: Pick<Batch, 'mode'> & { dryRun: boolean },
  texts: readonly string[],
): StoredResponse {
  const refused = texts.filter((text) => isRefused(text)).length
  const head = JSON.stringify({ mode, dry_run: dryRun, done: texts.length - refused, refused })
  const body = `{"data":${head.slice(0, -1)},"operations":[${texts.join()}]}}`
  return { status: 200, code: null, headers: {}, body }
}

const isRefused = (text: string): boolean => /^\{"n":\d+,(?:"as":"[\w.-]+",)?"status":[45]/.test(text)
