import { raw } from 'sql-template-tag'
import { equalsIndexed, inOrderOf, rowsOf } from '../access.ts'
import { eitherSql, identifier, instant, query, type Statement, sql } from '../statement.ts'
import type { CallRow } from './calls.ts'
import type { ListedSession } from './sessions.ts'
import { attemptRowBytes } from './webhook-attempts.ts'

/** The data of a person in the fixed tables, and its erasure. Decisions, Persons. */

/** Notes an erasure: from now on no details of earlier calls are written. The company must be locked for update. */
export const noteErasure = (companyId: number): Statement =>
  query('persons.note-erasure')`update companies c set persons_erased_at = now() where c.id = ${companyId}`

export const deleteDetails = (companyId: number): Statement =>
  query('persons.delete-details')`delete from call_details where ${eitherSql(
    sql`ctid = any (array(select ctid from call_details where company_id = ${companyId} ${inOrderOf(sql`request_id`)}))`,
    () => sql`company_id = ${companyId}`,
  )}`

/** Empties the requests and answers of up to `most` attempts. Returns a row for each. */
export const emptyAttempts = (companyId: number, most: number): Statement =>
  query('persons.empty-attempts')`
    update webhook_attempts set request_headers = '{}', request_body = '', answer_headers = null, answer_body = null,
      answer_cut = false, bytes = case when bytes is not null then ${attemptRowBytes} + coalesce(octet_length(detail), 0) end
    where ${rowsOf(
      'webhook_attempts',
      companyId,
      'id',
      sql`company_id = ${companyId}
        and (request_body <> '' or request_headers::text <> '{}' or answer_headers is not null or answer_body is not null)
      order by id limit ${most}`,
    )} returning 1 as emptied`

/** Members to erase in stored answers, and the text that replaces theirs. */
type ErasedMembers = { members: readonly string[]; instead: string }

/** The tables of stored answers, of calls and of operations of batches, with their key within a company. */
const keysOfAnswers = { answers: 'key', batch_answers: '(key, n)' } as const

/**
 * Erases members in up to `most` stored answers. Returns a row for each.
 * Bodies are compact JSON, where a quote within a text is escaped: so no text of a caller looks like a member with its
 * value. Texts that are replaced already are not found again.
 */
export function emptyAnswers(
  table: keyof typeof keysOfAnswers,
  companyId: number,
  { members, instead }: ErasedMembers,
  most: number,
): Statement {
  const key = keysOfAnswers[table]
  const pattern = `"(${members.join('|')})":"(?!${instead}")(?:[^"\\\\]|\\\\.)*"`
  return query(`persons.empty-${table}`)`
    update ${identifier(table)} set body = regexp_replace(body, ${pattern}, ${`"\\1":"${instead}"`}, 'g')
    where ${rowsOf(
      table,
      companyId,
      key,
      sql`company_id = ${companyId} and body ~ ${pattern} order by ${raw(key.replaceAll(/[()]/g, ''))} limit ${most}`,
    )} returning 1 as emptied`
}

/** Removes the password of an erased account, so that nobody can sign in to it. */
export const forgetPassword = (companyId: number, id: number): Statement =>
  query('persons.forget-password')`
    update accounts set password_hash = null where company_id = ${companyId} and id = ${id}`

export type AccountSessionRow = Omit<ListedSession, 'is_this'>

/** Reads the sessions of an account; each began with a sign-in. */
export const sessionsOfPerson = (companyId: number, accountId: number): Statement =>
  query('persons.sessions')`
    select id, ${instant('created_at')} as created_at, ${instant('last_seen_at')} as last_seen_at, device, peer, forwarded_for
    from (
      select * from sessions where company_id = ${companyId} and ${equalsIndexed(sql`account_id`, accountId)} ${inOrderOf(sql`account_id`)}
    ) s order by id`

export type AccountCallRow = Pick<CallRow, 'at' | 'route' | 'record_id' | 'status' | 'peer'>

/** Reads the newest calls with tokens of an account. */
export const callsOfPerson = (companyId: number, accountId: number, most: number): Statement =>
  query('persons.calls')`select ${instant('c.at')} as at, c.route, c.record_id, c.status, host(c.peer) as peer
    from (select * from calls where company_id = ${companyId} order by at desc offset 0) c
    where c.token_id in (
      select id from (select * from tokens where company_id = ${companyId} ${inOrderOf(sql`id`)}) t where account_id = ${accountId}
    ) order by c.at desc limit ${most}`
