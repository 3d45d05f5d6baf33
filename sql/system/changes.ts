import { raw, type Sql } from 'sql-template-tag'
import { horizonsOfServers, oldestOpen } from '../citus/doctor.ts'
import { horizonOf, markAll, markNow, marksOf } from '../citus/log.ts'
import { query, type Statement, type Steps, sql, statement } from '../statement.ts'
import { horizon, newestEpoch, newestLine } from './log.ts'
import { sweepFrom } from './sweep.ts'

/** The horizon up to which the log of changes can be read, and the marks that store it. Decisions, Changes. */

/**
 * Inserts a mark at the horizon. Its commit makes the position survive a crash. Its time is later than its snapshot, so
 * a transaction that began after that time has a position at or behind the mark.
 */
const insertMark = (unless: Sql): Sql => sql`insert into log_marks as m (epoch, pos, at)
    select ${newestEpoch}, ${horizon}, clock_timestamp()${unless}
    on conflict (epoch, pos) do update set at = m.at
    returning epoch, pos::text, ${newestLine} as line`

/** Inserts a mark at the horizon, unless there is a younger one. */
export const markHorizon = (seconds: number): Statement =>
  statement(
    insertMark(
      sql` where not exists (select from log_marks where at > now() - make_interval(secs => ${seconds}::float8))`,
    ),
    'changes.mark',
    (run) => run(markAll(seconds)),
  )

/** Marks the current position, for a company that will read later changes. */
export const markFor = (companyId: number): Statement =>
  statement(insertMark(sql``), 'changes.mark-now', (run) => markNow(run, companyId))

/** Deletes marks that are older than the shown changes. The last of them stays, and so does the last of each epoch. */
export const sweepMarks = (keptDays: number, most: number): Statement =>
  statement(
    sql`${sweepFrom(
      'log_marks',
      sql`m where at < (
        select at from log_marks where at <= now() - make_interval(days => ${keptDays}::int) order by at desc limit 1
      ) and (
        select true from log_marks later where later.epoch = m.epoch and later.pos > m.pos
        order by later.epoch, later.pos limit 1
      ) order by at`,
      most,
    )} returning 1`,
    'changes.sweep-marks',
    (run) => run(oldMarks(keptDays)),
  )

/** Deletes old marks of companies. The last one of each company that is old enough stays. */
const oldMarks = (keptDays: number): Statement =>
  query('changes.sweep-company-marks')`
    delete from company_marks m where m.at < now() - make_interval(days => ${keptDays}::int) and exists (
      select from company_marks later where later.company_id = m.company_id and later.epoch = m.epoch and later.pos > m.pos
        and later.at <= now() - make_interval(days => ${keptDays}::int)
    )`

/** Reads the first change of a company at a moment or later. The search starts at the last mark before it. */
export const firstSince = (companyId: number, moment: Date): Statement =>
  statement(
    sql`select h.epoch, h.pos::text as pos, h.id from (
      select epoch, pos from log_marks where at <= ${moment} order by at desc limit 1
    ) mark right join (select) one on true cross join lateral (
      select * from history
      where company_id = ${companyId} and (epoch, pos) >= (coalesce(mark.epoch, 0), coalesce(mark.pos, '0'::xid8))
        and at >= ${moment}
      order by company_id, epoch, pos, id limit 1
    ) h`,
    'webhooks.first-since',
    (run) => run(firstSinceThere(companyId, moment)),
  )

const firstSinceThere = (companyId: number, moment: Date): Statement => {
  const mark = (column: string) =>
    sql`(select ${raw(column)} from ${marksOf(companyId)} where at <= ${moment} order by at desc limit 1)`
  return statement(
    // A bare name in `order by` would be the text of the position, where 10 comes before 9.
    sql`select h.epoch, h.pos::text as pos, h.id from history h
    where company_id = ${companyId} and (epoch, h.pos) >= (coalesce(${mark('epoch')}, 0), coalesce(${mark('pos')}, '0'::xid8))
      and at >= ${moment}
    order by h.company_id, h.epoch, h.pos, h.id limit 1`,
    'webhooks.first-of-company',
  )
}

/** Reads the horizon of the log, and the companies among these with a change after their positions. */
export const changedCompanies = (seen: readonly SeenPosition[]): Statement =>
  statement(
    sql`with log as materialized (
      select ${newestEpoch} as epoch, ${horizon} as pos
    )
    select log.epoch, log.pos::text as pos, array(
      select seen.company_id
      from unnest(${seen.map(({ companyId }) => companyId)}::bigint[], ${seen.map(({ epoch }) => epoch)}::int[],
        ${seen.map(({ pos }) => pos)}::text[]::xid8[]) seen (company_id, epoch, pos)
      cross join lateral (
        select from history
        where company_id = seen.company_id and (epoch, pos) >= (seen.epoch, seen.pos) and (epoch, pos) < (log.epoch, log.pos)
        order by company_id, epoch, pos, id limit 1
      ) first
      where (log.epoch, log.pos) > (seen.epoch, seen.pos)
    ) as company_ids
    from log`,
    'changes.companies',
    async (run) => {
      const rows = await run<{ id: number }>(changedThere(seen))
      // Each company has a log of its own, so there is no common horizon.
      return [{ epoch: 0, pos: '0', company_ids: rows.map(({ id }) => id) }]
    },
  )

type SeenPosition = { companyId: number; epoch: number; pos: string }

const changedThere = (seen: readonly SeenPosition[]): Statement => {
  const ids = sql`${seen.map(({ companyId }) => companyId)}::bigint[]`
  const seenBy = (values: readonly (number | string)[], type: string) =>
    sql`(${values}::text[])[array_position(${ids}, c.id)]::${raw(type)}`
  return query('changes.of-companies')`select c.id from companies c join company_epochs e on e.company_id = c.id
    where c.id = any (${ids})
      and not exists (select from company_epochs later where later.company_id = c.id and later.epoch > e.epoch)
      and exists (
        select from history h where h.company_id = c.id
          and (h.epoch, h.pos) >= (${seenBy(
            seen.map(({ epoch }) => epoch),
            'int',
          )}, ${seenBy(
            seen.map(({ pos }) => pos),
            'xid8',
          )})
          and (h.epoch, h.pos) < (e.epoch, ${horizonOf(sql`c.id`, sql`e.server`)})
      )`
}

/** The horizon, how long the oldest open transaction that has written holds it, and its session. */
export type HorizonRow = { epoch: number; pos: string; seconds: number; holder: string | null; program: string | null }

export const horizonNow = (): Statement =>
  statement(
    sql`select ${newestEpoch} as epoch, ${horizon}::text as pos,
      coalesce(greatest(extract(epoch from clock_timestamp() - held.since), 0), 0)::float8 as seconds, held.holder, held.program
    from (select) one left join lateral (
      ${oldestOpen}
    ) held on true`,
    'changes.horizon',
    longestHeld,
  )

/** Finds the longest over all servers, since each holds back the feeds of its own companies. */
const longestHeld: Steps = async (run) => {
  const rows = await run<{ success: boolean; result: string }>(horizonsOfServers())
  const held = rows.flatMap(({ success, result }) =>
    success && result.startsWith('{') ? [JSON.parse(result) as Pick<HorizonRow, 'seconds' | 'holder' | 'program'>] : [],
  )
  const [longest] = held.toSorted((one, other) => other.seconds - one.seconds)
  return [{ epoch: 0, pos: '0', ...(longest ?? { seconds: 0, holder: null, program: null }) }]
}
