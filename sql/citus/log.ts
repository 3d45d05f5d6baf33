import type { Sql } from 'sql-template-tag'
import { identifier, query, type Run, runInOrder, type Statement, sql } from '../statement.ts'

/**
 * The log where companies are distributed. A position is a transaction id of the server that holds the company, so the
 * log of a company begins a new epoch with the first write on another server. Decisions, Distributed.
 */

/** Returns the epoch of the last write of a company; 0 before the first. */
export const epochOf = (companyId: number | Sql): Sql =>
  sql`coalesce((select epoch from company_epochs where company_id = ${companyId} order by epoch desc limit 1), 0)`

/** Returns the line of that epoch; null if a process from before lines began it, or there is none. */
export const lineOf = (companyId: number): Sql =>
  sql`(select line from company_epochs where company_id = ${companyId} order by epoch desc limit 1)`

/**
 * Begins an epoch if the company has moved to another server since its last write. Concurrent writes wait for the first
 * of them.
 */
const beginEpoch = (companyId: number): Statement =>
  query('log.begin-epoch')`insert into company_epochs (company_id, epoch, server, line)
    select c.id, ${epochOf(companyId)} + 1, log_server(c.id), log_line(c.id) from companies c
    where c.id = ${companyId} and log_server(c.id) is distinct from ${serverOf(companyId)}
    on conflict do nothing`

const serverOf = (companyId: number): Sql =>
  sql`(select server from company_epochs where company_id = ${companyId} order by epoch desc limit 1)`

/**
 * Returns how far the log of a company can be read: below the oldest transaction of its server. On another server than
 * that of its last write, no transaction still writes.
 */
export const logOf = (companyId: number): Sql => sql`
      select ${epochOf(companyId)} as epoch, ${lineOf(companyId)} as line, ${horizonOf(sql`c.id`, serverOf(companyId))} as pos
      from companies c where c.id = ${companyId}`

export const horizonOf = (companyId: Sql, server: Sql): Sql =>
  sql`case when log_server(${companyId}) = ${server} then log_horizon(${companyId}) else ${last}::xid8 end`

/** The greatest possible position. */
const last = sql`'18446744073709551615'`

export const epochsOf = (companyId: number): Sql =>
  sql`(select epoch, line from company_epochs where company_id = ${companyId})`

/** Selects the positions up to which the log of a company was whole. */
export const marksOf = (companyId: number): Sql =>
  sql`(select epoch, pos, at from company_marks where company_id = ${companyId}) log_marks`

/**
 * Returns the end of an epoch of a company. On a move to another server, all of it came along. On the same server, a
 * new epoch began after the last mark.
 */
export const endOf = (companyId: number, epoch: Sql): Sql => sql`(
        select case when split_part(ended.server, '/', 1) <> split_part(next.server, '/', 1) then ${last}
          else (select coalesce(max(pos), '0')::text from ${marksOf(companyId)} where log_marks.epoch = ended.epoch) end
        from company_epochs ended join company_epochs next
          on next.company_id = ended.company_id and next.epoch = ended.epoch + 1
        where ended.company_id = ${companyId} and ended.epoch = ${epoch}
      )`

/** Sends statements together, in an epoch of this server. Returns the rows of the last. */
export const inEpoch = (run: Run, companyId: number, ...statements: Statement[]): Promise<readonly unknown[]> =>
  runInOrder(run, beginEpoch(companyId), ...statements)

/** Inserts a mark of this moment, and returns it with the line of its epoch. */
export const markNow = async (run: Run, companyId: number): Promise<readonly unknown[]> => {
  const [mark] = (await inEpoch(run, companyId, insertMark(companyId))) as { epoch: number; pos: string }[]
  const [row] = await run<{ line: number | null }>(
    query('log.line')`
      select line from company_epochs where company_id = ${companyId} and epoch = ${mark?.epoch ?? null}`,
  )
  return [{ ...mark, line: row?.line ?? null }]
}

const insertMark = (companyId: number): Statement =>
  query('changes.mark-company')`insert into company_marks as m (company_id, epoch, pos)
    select c.id, ${epochOf(companyId)}, log_horizon(c.id) from companies c where c.id = ${companyId}
    on conflict (company_id, epoch, pos) do update set at = m.at
    returning epoch, pos::text`

/** Inserts a mark for every company with a write since its last mark. */
export const markAll = (seconds: number): Statement =>
  query('changes.mark')`insert into company_marks (company_id, epoch, pos)
    select e.company_id, e.epoch, log_horizon(e.company_id) from company_epochs e
    where log_server(e.company_id) = e.server
      and not exists (select from company_epochs later where later.company_id = e.company_id and later.epoch > e.epoch)
      and not exists (
        select from company_marks m where m.company_id = e.company_id and m.at > now() - make_interval(secs => ${seconds}::float8)
      )
      and exists (
        select from history h where h.company_id = e.company_id and h.epoch = e.epoch and h.pos >= (
          select coalesce(max(m.pos), '0') from company_marks m where m.company_id = e.company_id and m.epoch = e.epoch
        )
      )
    on conflict do nothing`

/** Draws ids of the log, in ascending order. */
export const drawIds = async (run: Run, count: number): Promise<number[]> => {
  const rows = await run<{ id: number }>(
    query('history.ids')`select nextval('history_id_seq') as id from generate_series(1, ${count}::int)`,
  )
  return rows.map(({ id }) => id)
}

/** Draws an id of the log for each record, each record once. */
export async function withIds(run: Run, ids: readonly number[]): Promise<Map<number, number>> {
  const each = [...new Set(ids)].toSorted((one, other) => one - other)
  const drawn = await drawIds(run, each.length)
  return new Map(each.map((id, index) => [id, drawn[index] as number]))
}

/** Selects the log entries for records `r`, by the ids of their rows. */
export const ofRecords = ({
  companyId,
  table,
  written,
  columns,
  only,
}: RecordsThere): Sql => sql`select given.history_id, given.id, ${columns}
      from ${identifier(table)} r join unnest(${[...written.keys()]}::bigint[], ${[...written.values()]}::bigint[])
        as given (id, history_id) on r.id = given.id
      where r.company_id = ${companyId} and ${only}`

type RecordsThere = { companyId: number; table: string; written: ReadonlyMap<number, number>; columns: Sql; only: Sql }
