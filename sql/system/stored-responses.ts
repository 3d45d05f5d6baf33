import { raw, type Sql } from 'sql-template-tag'
import { replayWindowHours } from '#registry/limits.ts'
import { rowsOf } from '../access.ts'
import { prepareStatement, query, type Statement, sql } from '../statement.ts'
import type { CallerSource } from './caller.ts'
import { sweepStatement } from './sweep.ts'

export type StoredResponseRow = {
  fingerprint: Buffer
  status: number
  body: string
  location: string | null
  etag: string | null
  /** The id of the call that it answered; null if it is unknown. */
  request_id: string | null
  /** The id of the write; null without a write, and in older answers. */
  write_id: string | null
}

/** Columns of a stored answer; all are null if the key has none. `is_over`: it no longer counts. */
export type EarlierRow = { [column in keyof StoredResponseRow]?: StoredResponseRow[column] | null } & {
  is_over?: boolean | null
}

/** A key of a company, and its advisory lock. */
export type KeyAsk = { key: string; lock: string }

/** Tries to take the lock. A transaction that has it already gets it again. */
export const lockKey = (lock: string | Sql): Sql => sql`pg_try_advisory_xact_lock(${lock}::bigint)`

/**
 * Claims keys until the transaction ends; false if another transaction holds one. No claim waits, so their order is
 * free. Only a live caller claims at all, so that nobody else can keep a company's keys busy. Decisions, Idempotency.
 */
export function claimKeys<Values extends { companyId: number }>(
  keys: readonly KeyAsk[],
  { name, live, values }: CallerSource<Values>,
): Statement {
  return prepareStatement(
    null,
    `${name}keys.claim`,
    { ...values, locks: keys.map(({ lock }) => lock) },
    (given) => sql`select wanted.place - 1 as place, ${lockKey(sql`wanted.lock`)} as claimed
    from ${live(given)} caller cross join unnest(${given.locks}::bigint[]) with ordinality wanted (lock, place)`,
  )
}

export type ClaimRow = { place: number; claimed: boolean }

/**
 * Selects the stored answer. Must run in a statement after the claim: only then does it see the answer of the last
 * holder. `is_over`: it no longer counts.
 */
export const answerOf = (companyId: number | Sql, key: string | Sql): Sql =>
  sql`select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => ${raw(`${replayWindowHours}`)}) as is_over
    from answers where company_id = ${companyId} and key = ${key}`

/** An answer to store under its key. Without an `etag` it gets that of `record_id`, as the write leaves it. */
export type NewStoredResponse = StoredResponseRow & { key: string; record_id?: number | undefined }

/** The definition of the records, and the expression for the ETag of one. */
type TaggedRecords = { of: { name: string }; tagOf(companyId: Sql, id: Sql): Sql }

/** The primary key of the answers. It refuses a key that another call has used meanwhile. */
export const answersKey = 'answers_pkey'

/**
 * Stores answers under keys that have none. A key is claimed on the server that holds its company. If the company has
 * moved meanwhile, another call may have claimed it on the new server; then the primary key keeps that answer. Returns
 * the keys, with the ETags of their records if these are `tagged`.
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
  const values = { companyId, rows: JSON.stringify(given) }
  return prepareStatement(
    tagged?.of ?? null,
    `${tagged ? `${tagged.of.name}.` : ''}answers.keep`,
    values,
    ({ companyId, rows }) => {
      const tag = tagged ? sql`coalesce(given.etag, ${tagged.tagOf(companyId, sql`given.record_id`)})` : sql`given.etag`
      // The column's default is volatile: with it the insert would not be a single task of a distributed database.
      return sql`
    insert into answers as a (company_id, key, fingerprint, status, body, location, etag, request_id, write_id, completed_at)
    select c.id, given.key, given.fingerprint, given.status, given.body, given.location, ${tag}, given.request_id, given.write_id,
      statement_timestamp()
    from companies c cross join json_to_recordset(${rows}::json) as given (key text, fingerprint bytea,
      status smallint, body text, location text, etag text, request_id text, write_id uuid, record_id bigint)
    where c.id = ${companyId}${tagged ? sql` returning a.key, a.etag` : sql``}`
    },
  )
}

export type KeyTagRow = { key: string; etag: string }

/** Removes answers that no longer count, so that others can use their keys. */
export const deleteStoredResponses = (companyId: number, keys: readonly string[]): Statement =>
  query(
    'answers.forget',
  )`delete from answers where ${rowsOf('answers', companyId, 'key', sql`company_id = ${companyId} and key = any (${keys}::text[])`)}`

/** Removes up to `most` answers that no longer count. Returns a row for each. Correctness does not depend on it. */
export const sweepAnswers = (most: number): Statement =>
  sweepStatement({
    name: 'answers.sweep',
    ...{ table: 'answers', key: 'key', type: 'text', most },
    where: sql`where completed_at < now() - make_interval(hours => ${replayWindowHours})`,
  })
