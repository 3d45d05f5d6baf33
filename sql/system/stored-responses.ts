import type { Sql } from 'sql-template-tag'
import { replayWindowHours } from '#registry/limits.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { type CallerAsk, ofToken } from './caller.ts'
import { sweepStatement } from './sweep.ts'
import { isLive } from './tokens.ts'

/** The stored answer of a key, as far as it still counts. */
export type StoredResponseRow = {
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

export const findStoredResponse = (companyId: number, key: string): Statement =>
  statement(answerOf(companyId, key), 'answer.find')

/**
 * To be asked by a statement after that of the claim: only then does it see what the last holder stored. `is_over`: it no
 * longer counts.
 */
export const answerOf = (companyId: number, key: string | Sql): Sql =>
  sql`select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => ${replayWindowHours}) as is_over
    from answers where company_id = ${companyId} and key = ${key}`

/** An answer that is stored under its key. Without an `etag` it has that of the record `record_id`, as the write leaves it. */
export type NewStoredResponse = StoredResponseRow & { key: string; record_id?: number | undefined }

/** How the tag of one of the `records` is asked for. */
type TaggedRecords = { records: string; tagOf(id: Sql): Sql }

/** The primary key of the answers, which a key meets that somebody else has used meanwhile. */
export const answersKey = 'answers_pkey'

/**
 * Stores answers, whose keys have none. A key is claimed on the server that holds its company; where that has changed
 * meanwhile, another call may have claimed it on the new one, and the primary key keeps its answer. Returns the keys with
 * the tags of their records where these are `tagged`.
 */
export function storeResponses(
  companyId: number,
  answers: readonly NewStoredResponse[],
  tagged?: TaggedRecords,
): Statement {
  const given = answers.map(({ fingerprint, ...answer }) => ({
    ...answer,
    fingerprint: `\\x${fingerprint.toString('hex')}`,
  }))
  const tag = tagged ? sql`coalesce(given.etag, ${tagged.tagOf(sql`given.record_id`)})` : sql`given.etag`
  // The default of the time is another at each call: with it the insert is no single task of a distributed database.
  return statement(
    sql`insert into answers as a (company_id, key, fingerprint, status, body, location, etag, request_id, write_id, completed_at)
    select c.id, given.key, given.fingerprint, given.status, given.body, given.location, ${tag}, given.request_id, given.write_id,
      statement_timestamp()
    from companies c cross join json_to_recordset(${JSON.stringify(given)}::json) as given (key text, fingerprint bytea,
      status smallint, body text, location text, etag text, request_id text, write_id uuid, record_id bigint)
    where c.id = ${companyId}${tagged ? sql` returning a.key, a.etag` : sql``}`,
    `${tagged ? `${tagged.records}.` : ''}answers.keep`,
  )
}

export type KeyTagRow = { key: string; etag: string }

/** Removes answers that no longer count, for others under their keys. */
export const deleteStoredResponses = (companyId: number, keys: readonly string[]): Statement =>
  statement(sql`delete from answers where company_id = ${companyId} and key = any (${keys}::text[])`, 'answers.forget')

/** Removes up to `most` answers that no longer count, a row for each; correctness never waits for it. */
export const sweepAnswers = (most: number): Statement =>
  sweepStatement({
    name: 'answers.sweep',
    ...{ table: 'answers', key: 'key', type: 'text', most },
    where: sql`where completed_at < now() - make_interval(hours => ${replayWindowHours})`,
  })
