import { raw, type Sql } from 'sql-template-tag'
import { inOrderOf } from '../access.ts'
import { instant, query, runInOrder, type Statement, sql, statement } from '../statement.ts'
import { nextCompanies } from './sweep.ts'

/** One call, as the log and the metering store it. */
export type CallRow = {
  company_id: number
  token_id: number
  request_id: string
  at: string
  route: string
  record_id: number | null
  /** The number of operations of a batch. */
  rows: number | null
  status: number
  code: string | null
  /** The reasons of a refusal: fields, or the right or add-on that is missing. */
  about: string[] | null
  ms: number
  peer: string | null
  dry_run: boolean
  replayed: boolean
  counted: boolean
  /** The name that the agent gives for itself; null for other calls. */
  client: string | null
}

const columns: { [column in keyof CallRow]: string } = {
  company_id: 'bigint',
  token_id: 'bigint',
  request_id: 'text',
  at: 'timestamptz',
  route: 'text',
  record_id: 'bigint',
  rows: 'integer',
  status: 'smallint',
  code: 'text',
  about: 'text[]',
  ms: 'real',
  peer: 'inet',
  dry_run: 'boolean',
  replayed: 'boolean',
  counted: 'boolean',
  client: 'text',
}
const names = Object.keys(columns) as (keyof CallRow)[]
const listed = raw(names.join(', '))

/** Stores the answer of a call that was logged before its answer was known. */
export const settleCall = ({ company_id, at, request_id, status, code, about, ms }: CallRow): Statement =>
  query('calls.settle')`
    update calls set status = ${status}::smallint, code = ${code}::text, about = ${about}::text[], ms = ${ms}::real
    where company_id = ${company_id} and at = ${at}::timestamptz and request_id = ${request_id}`

export const insertCalls = (calls: readonly CallRow[]): Statement =>
  query('calls.insert')`insert into calls (${listed}) select ${listed}
    from json_to_recordset(${JSON.stringify(calls)}::json) as call (${raw(names.map((name) => `${name} ${columns[name]}`).join(', '))})`

export const outcomes = ['ok', 'refused', 'replayed', 'dry_run'] as const
export type Outcome = (typeof outcomes)[number]

/** Returns the outcome of a call. `refused` comes first: a refused dry-run or replay is a refusal to its reader. */
export const outcome = sql`case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end`

export const day = sql`(c.at at time zone 'UTC')::date`
export const resource = sql`split_part(c.route, '.', 1)`

const isOld = (keptDays: number) => sql`at < now() - make_interval(days => ${keptDays})`

/** Reads the next companies, by their ids, with calls that are older than `keptDays`. */
export const companiesWithOldCalls = (keptDays: number, after: number, most: number): Statement => {
  const old = sql`calls where company_id = companies.id and ${isOld(keptDays)} ${inOrderOf(sql`at`)}`
  return statement(nextCompanies(old, after, most), 'calls.old-companies')
}

/** Turns up to `most` of a company's calls that are that old into the sums of their days. Returns a row for each. */
export const sweepCalls = (companyId: number, keptDays: number, most: number): Statement =>
  statement(
    sql`with gone as (
      delete from calls where ctid = any (array(
        select ctid from calls where company_id = ${companyId} and ${isOld(keptDays)}
        order by at limit ${most} for update skip locked
      )) returning company_id, at, route, status, replayed, dry_run, counted
    ), summed as (
      ${addToDays(sql`gone c group by 1, 2, 3, 4 order by 1, 2, 3, 4`)}
    ) select 1 as swept from gone`,
    'calls.sweep',
    async (run) => {
      const old = await run<{ id: number }>(
        query('calls.old')`select id from calls where company_id = ${companyId} and ${isOld(keptDays)}
          order by at limit ${most} for update skip locked`,
      )
      const which = sql`company_id = ${companyId} and id = any (${old.map(({ id }) => id)}::bigint[])`
      await runInOrder(
        run,
        statement(addToDays(sql`calls c where ${which} group by 1, 2, 3, 4`), 'calls.sum'),
        query('calls.forget')`delete from calls where ${which}`,
      )
      return old
    },
  )

const addToDays = (calls: Sql): Sql => sql`insert into call_days (company_id, day, resource, outcome, calls, counted)
      select c.company_id, ${day}, ${resource}, ${outcome}, count(*), count(*) filter (where c.counted)
      from ${calls}
      on conflict (company_id, day, resource, outcome)
      do update set calls = call_days.calls + excluded.calls, counted = call_days.counted + excluded.counted`

/** Reads the last call with a token. None is older than the token itself. */
export const lastUse = (companyId: number, tokenId: number, since: Date): Statement =>
  query('calls.last-use')`select ${instant('c.at')} as at, host(c.peer) as peer from calls c
    where c.company_id = ${companyId} and c.token_id = ${tokenId} and c.at >= ${since}
    order by c.at desc limit 1`
