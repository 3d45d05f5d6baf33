import type { Sql } from 'sql-template-tag'
import { replayWindowHours } from '#registry/limits.ts'
import { conflict, type Statement, type Steps, sql, statement } from '../statement.ts'
import { type CallerAsk, ofToken } from './caller.ts'
import { sweepStatement } from './sweep.ts'

/** The stored answer of a key, as far as it still counts. */
export type AnswerRow = {
  fingerprint: Buffer
  status: number
  body: string
  location: string | null
  etag: string | null
  /** Of the call that it answered; null where that is not known. */
  request_id: string | null
  /** What it wrote; null where it wrote nothing, and of answers of before. */
  write_id: string | null
}

/** A key of a company, and the advisory lock that stands for it. */
export type KeyAsk = { key: string; lock: string }

/** Whether the lock is ours; who has it already gets it again. */
export const lockKey = (lock: string): Sql => sql`pg_try_advisory_xact_lock(${lock}::bigint)`

/**
 * Claims a key until the transaction ends; false where another transaction holds it. Only a live token claims at all,
 * so that nobody else can keep a company's keys busy. Decisions, Idempotency.
 */
export const claimKey = ({ lock }: KeyAsk, { companyId, tokenHash }: CallerAsk): Statement =>
  statement(
    sql`select ${lockKey(lock)} as claimed from (select * from tokens ${ofToken(companyId, tokenHash)}) t
    where revoked_at is null`,
    'key.claim',
  )

/** The same for somebody whose session is held already. */
export const claimForSession = (lock: string): Statement =>
  statement(sql`select ${lockKey(lock)} as claimed`, 'key.hold')

export const findAnswer = (companyId: number, key: string): Statement =>
  statement(answerOf(companyId, key), 'answer.find')

export const keepAnswer = (companyId: number, key: string, answer: AnswerRow): Statement =>
  statement(storeAnswer(companyId, key, answer), 'answer.keep', storeAnswerThere(companyId, key, answer))

/** To be asked by a statement after that of the claim: only then does it see what the last holder stored. */
export const answerOf = (companyId: number, key: string): Sql =>
  sql`select fingerprint, status, body, location, etag, request_id, write_id from answers
    where company_id = ${companyId} and key = ${key}
      and completed_at > clock_timestamp() - make_interval(hours => ${replayWindowHours})`

const storeAnswer = (companyId: number, key: string, answer: AnswerRow): Sql =>
  sql`insert into answers (company_id, key, fingerprint, status, body, location, etag, request_id, write_id)
    values (${companyId}, ${key}, ${answer.fingerprint}, ${answer.status}, ${answer.body}, ${answer.location},
      ${answer.etag}, ${answer.request_id}, ${answer.write_id})
    on conflict (company_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      body = excluded.body, location = excluded.location, etag = excluded.etag, request_id = excluded.request_id, write_id = excluded.write_id,
      completed_at = excluded.completed_at`

/**
 * The same where companies are distributed. A key is claimed on the server that holds its company; when that has changed
 * meanwhile, another call may have claimed it on the new one. An answer that counts is never written over: this
 * transaction is undone and run again, and then hears that answer.
 */
const storeAnswerThere =
  (companyId: number, key: string, answer: AnswerRow): Steps =>
  async (run) => {
    const rows = await run(
      statement(
        sql`${storeAnswer(companyId, key, answer)}
    where excluded.completed_at - answers.completed_at >= make_interval(hours => ${replayWindowHours}) returning 1 as kept`,
        'answer.keep-new',
      ),
    )
    if (rows.length === 0) throw conflict()
    return rows
  }

/** Removes up to `most` answers that no longer count, a row for each; correctness never waits for it. */
export const sweepAnswers = (most: number): Statement =>
  sweepStatement({
    name: 'answers.sweep',
    ...{ table: 'answers', key: 'key', type: 'text', most },
    where: sql`where completed_at < now() - make_interval(hours => ${replayWindowHours})`,
  })
