import { type Batch, type BatchRow, readBatch } from '#derive/batch.ts'
import type { BatchOp } from '#derive/batch-operation.ts'
import { batchRefused, rowProblems, rowRefusal } from '#derive/refusals.ts'
import { routesOn } from '#derive/routes.ts'
import type { JsonObject } from '#registry/json.ts'
import { Refusal, type RefusedOperation, refusedRow } from '#registry/refusals.ts'
import { type Registry, servedResources } from '#registry/resources/index.ts'
import { conflict } from '#sql/statement.ts'
import { expectedOf, readTags } from '../../protocol/entity-tags.ts'
import { createBreather, runBatch } from '../../records/batch.ts'
import { inBody, type OperationResult, type OrderedOperation, standsForRefused } from '../../records/batch-run.ts'
import { type Command, resultOf } from '../../records/command.ts'
import type { Effect } from '../../records/preview.ts'
import { createRemoval } from '../../records/remove.ts'
import { byReference, upsert as upserting } from '../../records/upsert.ts'
import { createOne, updateOne } from '../../records/write-record.ts'
import { noneLate } from '../../records/write-set.ts'
import type { CallOfWrite, Series, Write, WriteHandler } from '../handler.ts'
import type { StoredResponse } from '../stored-response.ts'
import { formatCreated } from './create.ts'
import { formatRemoved } from './delete.ts'
import { formatUpdated } from './update.ts'
import { formatUpserted } from './upsert.ts'

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
          return outcome && 'refusal' in outcome ? [{ n, as, refusal: outcome.refusal }] : []
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
          if ('refusal' in outcome) texts.push(refusedText(call, row, outcome.refusal))
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

type AcceptedOperation = Extract<OrderedOperation, { wanted: unknown }>

function single(companyId: number, row: AcceptedOperation, textOf: (n: number) => string): Command<StoredResponse> {
  const { op, definition, id, externalRef, mayBeNew } = row.wanted
  // References are filled in before any look-up, so that a refused operation refuses those that refer to it, whatever
  // their records are.
  const body = filledIn(row, textOf)
  const onId = (id: number | undefined): Command<StoredResponse> =>
    singles[op](companyId, { row, id: id as number, body })
  // An operation that may create finds its record itself, or none.
  return externalRef !== undefined && !mayBeNew ? byReference(companyId, definition, externalRef, onId, body) : onId(id)
}

type SingleWrite = { row: AcceptedOperation; id: number; body: JsonObject }

const singles: { readonly [op in BatchOp]: (companyId: number, asked: SingleWrite) => Command<StoredResponse> } = {
  create(companyId, { row: { wanted }, body }) {
    const { definition } = wanted
    return resultOf(createOne(companyId, definition, { body }), (done) =>
      formatCreated(routesOn(definition).create, false, done),
    )
  },
  update(companyId, { row: { wanted, expected }, id, body }) {
    const { definition } = wanted
    const work = updateOne(companyId, definition, { id, body, expected })
    return resultOf(work, (done) => formatUpdated(routesOn(definition).update, false, done))
  },
  upsert(companyId, { row: { wanted, expected }, body }) {
    const { definition, externalRef } = wanted
    const work = upserting(companyId, { definition, value: externalRef as string, body, expected })
    return resultOf(work, (done) => formatUpserted(routesOn(definition).upsert, false, done))
  },
  delete(companyId, { row: { wanted, expected }, id }) {
    const { definition } = wanted
    const work = createRemoval(companyId, { definition, id, expected })
    return resultOf(work, (done) => formatRemoved(routesOn(definition).delete, false, done))
  },
}

/** Returns the body with the ids of earlier operations filled in. Throws if one of these is refused. */
function filledIn({ wanted }: AcceptedOperation, textOf: (n: number) => string): JsonObject {
  const body = { ...wanted.body }
  const lost = []
  for (const [field, n] of wanted.refs) {
    const { data } = JSON.parse(textOf(n)) as { data?: { id: number } }
    if (data) body[field] = data.id
    else lost.push(standsForRefused(field, n))
  }
  if (lost.length > 0) throw rowRefusal(rowProblems(lost))
  return body
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
  const route = routesOn(row.wanted.definition)
  if ('created' in outcome) return formatCreated(route.create, dryRun, outcome.created)
  if ('updated' in outcome) return formatUpdated(route.update, dryRun, outcome.updated)
  if ('upserted' in outcome) return formatUpserted(route.upsert, dryRun, outcome.upserted)
  return formatRemoved(route.delete, dryRun, outcome.deleted)
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
