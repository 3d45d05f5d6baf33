import { replayWindowHours } from '#registry/limits.ts'
import { query, type Statement } from '../statement.ts'

/** The outcome of an operation of a batch in mode `each`, under the key of its call. It goes with the answer of the call. */
export type BatchResponseRow = { n: number; body: string }

export const batchAnswers = (companyId: number, key: string): Statement =>
  query('batch.answers')`select n, body from batch_answers where company_id = ${companyId} and key = ${key} order by n`

/** Waits for another call that runs an operation of the same batch. */
export const lockBatch = (lock: string): Statement => query('batch.lock')`select pg_advisory_xact_lock(${lock}::bigint)`

export const batchAnswer = (companyId: number, key: string, n: number): Statement =>
  query('batch.answer')`select n, body from batch_answers where company_id = ${companyId} and key = ${key} and n = ${n}`

/** Stores the answer of one operation. From then on the batch is kept as long as any stored answer. */
export const storeBatchAnswer = (companyId: number, key: string, { n, body }: BatchResponseRow): Statement[] => [
  query('batch.keep')`
    update answers set completed_at = statement_timestamp() where company_id = ${companyId} and key = ${key}
      and completed_at > statement_timestamp() - make_interval(hours => ${replayWindowHours})`,
  query('batch.store')`
    insert into batch_answers (company_id, key, n, body) values (${companyId}, ${key}, ${n}, ${body})`,
]
