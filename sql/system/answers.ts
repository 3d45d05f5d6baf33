import { raw, type Sql } from 'sql-template-tag'
import { replayWindowHours } from '#registry/limits.ts'
import { conflict, type Statement, type Steps, sql, statement } from '../statement.ts'
import { type CallerAsk, ofToken } from './caller.ts'
import { sweepStatement } from './sweep.ts'
import { isLive } from './tokens.ts'

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
export const lockKey = (lock: string | Sql): Sql => sql`pg_try_advisory_xact_lock(${lock}::bigint)`

/**
 * Claims keys until the transaction ends; false where another transaction holds one. No claim waits, so their order is free.
 * Only a live token claims at all, so that nobody else can keep a company's keys busy. Decisions, Idempotency.
 */
export const claimKeys = (keys: readonly KeyAsk[], { companyId, tokenHash }: CallerAsk): Statement =>
  statement(
    sql`select wanted.place - 1 as place, ${lockKey(sql`wanted.lock`)} as claimed
    from (select * from tokens ${ofToken(companyId, tokenHash)}) t
    cross join unnest(${keys.map(({ lock }) => lock)}::bigint[]) with ordinality wanted (lock, place)
    where ${isLive()}`,
    'keys.claim',
  )

export type ClaimRow = { place: number; claimed: boolean }

/** The same for somebody whose session is held already. */
export const claimForSession = (lock: string): Statement =>
  statement(sql`select ${lockKey(lock)} as claimed`, 'key.hold')

export const findAnswer = (companyId: number, key: string): Statement =>
  statement(answerOf(companyId, key), 'answer.find')

/** An answer that is stored under its key. */
export type KeptAnswer = AnswerRow & { key: string }

export const keepAnswers = (companyId: number, answers: readonly KeptAnswer[]): Statement =>
  statement(storeAnswers(companyId, answers), 'answers.keep', storeAnswersThere(companyId, answers))

/** To be asked by a statement after that of the claim: only then does it see what the last holder stored. */
export const answerOf = (companyId: number, key: string | Sql): Sql =>
  sql`select fingerprint, status, body, location, etag, request_id, write_id from answers
    where company_id = ${companyId} and key = ${key}
      and completed_at > clock_timestamp() - make_interval(hours => ${replayWindowHours})`

const storeAnswers = (companyId: number, answers: readonly KeptAnswer[]): Sql => {
  const given = answers.map(({ fingerprint, ...answer }) => ({
    ...answer,
    fingerprint: `\\x${fingerprint.toString('hex')}`,
  }))
  // The default of the time is another at each call: with it the insert is no single task of a distributed database.
  return sql`insert into answers as a (company_id, ${columns}, completed_at)
    select c.id, ${columns}, statement_timestamp() from companies c cross join json_to_recordset(${JSON.stringify(given)}::json)
      as given (key text, fingerprint bytea, status smallint, body text, location text, etag text, request_id text, write_id uuid)
    where c.id = ${companyId}
    on conflict (company_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      body = excluded.body, location = excluded.location, etag = excluded.etag, request_id = excluded.request_id, write_id = excluded.write_id,
      completed_at = excluded.completed_at`
}

const columns = raw('key, fingerprint, status, body, location, etag, request_id, write_id')

/**
 * The same where companies are distributed. A key is claimed on the server that holds its company; when that has changed
 * meanwhile, another call may have claimed it on the new one. An answer that counts is never written over: this
 * transaction is undone and run again, and then hears that answer. The hours stand in the text: a parameter there is one
 * whose type the servers are not told.
 */
const storeAnswersThere =
  (companyId: number, answers: readonly KeptAnswer[]): Steps =>
  async (run) => {
    const rows = await run(
      statement(
        sql`${storeAnswers(companyId, answers)}
    where excluded.completed_at - a.completed_at >= make_interval(hours => ${raw(String(replayWindowHours))}) returning 1 as kept`,
        'answers.keep-new',
      ),
    )
    if (rows.length < answers.length) throw conflict()
    return rows
  }

/** Removes up to `most` answers that no longer count, a row for each; correctness never waits for it. */
export const sweepAnswers = (most: number): Statement =>
  sweepStatement({
    name: 'answers.sweep',
    ...{ table: 'answers', key: 'key', type: 'text', most },
    where: sql`where completed_at < now() - make_interval(hours => ${replayWindowHours})`,
  })
