import { replayWindowHours } from '#registry/limits.ts'
import { runInOrder, type Statement, sql, statement } from '../statement.ts'

/** What came of the operations of a batch that stand by themselves, under the key of its call. */
export type BatchResponseRow = { n: number; body: string }

export const batchAnswers = (companyId: number, key: string): Statement =>
  statement(
    sql`select n, body from batch_answers where company_id = ${companyId} and key = ${key} order by n`,
    'batch.answers',
  )

/** Waits for the one who does an operation of the same batch. */
export const lockBatch = (lock: string): Statement =>
  statement(sql`select pg_advisory_xact_lock(${lock}::bigint)`, 'batch.lock')

export const batchAnswer = (companyId: number, key: string, n: number): Statement =>
  statement(
    sql`select n, body from batch_answers where company_id = ${companyId} and key = ${key} and n = ${n}`,
    'batch.answer',
  )

/** The answer of one operation, from which on the batch is remembered as long as any answer. */
export const storeBatchAnswer = (companyId: number, key: string, { n, body }: BatchResponseRow): Statement =>
  statement(
    sql`with kept as (
      update answers set completed_at = clock_timestamp() where company_id = ${companyId} and key = ${key}
        and completed_at > clock_timestamp() - make_interval(hours => ${replayWindowHours})
    )
    insert into batch_answers (company_id, key, n, body)
    values (${companyId}, ${key}, ${n}, ${body})`,
    'batch.store',
    (run) =>
      runInOrder(
        run,
        statement(
          sql`update answers set completed_at = now() where company_id = ${companyId} and key = ${key}
          and completed_at > now() - make_interval(hours => ${replayWindowHours})`,
          'batch.keep',
        ),
        statement(
          sql`insert into batch_answers (company_id, key, n, body) values (${companyId}, ${key}, ${n}, ${body})`,
          'batch.store-alone',
        ),
      ),
  )

/** Those of an earlier batch, whose time is over. */
export const forgetBatchAnswers = (companyId: number, key: string): Statement =>
  statement(sql`delete from batch_answers where company_id = ${companyId} and key = ${key}`, 'batch.forget')
