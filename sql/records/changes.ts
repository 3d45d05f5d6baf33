import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { PageCut } from '#registry/listing.ts'
import { equalsIndexed } from '../access.ts'
import { endOf, epochsOf, logOf, marksOf } from '../citus/log.ts'
import { eitherSql, instant, jsonObject, type Statement, sql, statement } from '../statement.ts'
import { type Cursor, eventId, horizon } from '../system/log.ts'
import { recordNow } from './written-changes.ts'

/** The log of changes, read in the order of commits. Decisions, Changes. */

export type ChangesAsk = {
  companyId: number
  /** Null starts at the oldest change that is kept. */
  after: Cursor | null
  limit: number
  /** Null is no limit. */
  keptDays: number | null
}

/** A page of changes, and the data to check the position after which it was requested. */
export type ChangesRow = {
  /** The changes, as JSON with commas between. */
  json: string
  /** The position of each of them. */
  places: [number, string, number][]
  start_epoch: number
  start_pos: string
  start_id: number
  /** The epoch in which the cursor was issued; null if its line is of no epoch of this database, or it has none. */
  issued_epoch: number | null
  start_line: number | null
  /** The first and the last change that was examined, shown or not; null if there was none. */
  first_epoch: number | null
  first_pos: string | null
  next_epoch: number | null
  next_pos: string | null
  next_id: number | null
  more: boolean
  /** The current epoch, and the position below which nothing can appear any more. */
  epoch: number
  /** The line of that epoch; null if a process from before lines began it in a distributed database. */
  line: number | null
  horizon: string
  /** If the epoch of the position is closed, the position up to which it is known to be whole. */
  closed_at: string | null
  /** Older changes are no longer shown. */
  kept_epoch: number | null
  kept_pos: string | null
}

/** Changes that one page examines, so that its cost is bounded however few of them are shown. */
const examinedMax = 1000

export const changesAfter = (
  definitions: readonly Definition[],
  ask: ChangesAsk & { records: readonly string[] },
): Statement => statement(changesPage(definitions, ask, sql`${ask.records}::text[]`), 'changes.page')

/**
 * Returns a page of changes. `included` are the names of the resources whose changes are shown. Changes behind a full
 * page are not examined.
 */
export function changesPage(definitions: readonly Definition[], ask: ChangesAsk, included: Sql): Sql {
  const { companyId, after, limit, keptDays } = ask
  const marks = eitherSql(sql`log_marks`, () => marksOf(companyId))
  return sql`
    with log as materialized (
      ${eitherSql(sql`select epoch, line, ${horizon} as pos from log_epochs order by epoch desc limit 1`, () =>
        logOf(companyId),
      )}
    ), kept as materialized (
      select epoch, pos from ${marks}
      where at <= now() - make_interval(days => ${keptDays}::int) order by at desc limit 1
    ), start as materialized (
      select coalesce(${after?.epoch ?? null}::int, kept.epoch, 0) as epoch,
        coalesce(${after?.pos ?? null}::text::xid8, kept.pos, '0') as pos, coalesce(${after?.id ?? null}::bigint, 0) as id
      from log left join kept on true
    ), examined as materialized (
      select h.* from start cross join log cross join lateral (
        select *, row_number() over () as place from (
          select * from history
          where company_id = ${companyId} and (epoch, pos, id) > (start.epoch, start.pos, start.id)
            and (epoch, pos) < (log.epoch, log.pos)
          order by company_id, epoch, pos, id limit ${examinedMax}
        ) ordered
      ) h
    ), told as materialized (
      select * from (
        select *, row_number() over () as told_place from examined where records = any (${included})
      ) counted where told_place <= ${limit}::bigint + 1
    ), next as (
      select epoch, pos, id from examined where place = case
        when (select count(*) from told) > ${limit}::bigint then (select place from told where told_place = ${limit}::bigint)
        else (select max(place) from examined)
      end limit 1
    )
    select
      (select coalesce(string_agg(${changeJson(definitions, companyId)}, ',' order by h.told_place), '')
        from told h where h.told_place <= ${limit}::bigint) as json,
      (select coalesce(json_agg(json_build_array(h.epoch, h.pos::text, h.id) order by h.told_place), '[]')
        from told h where h.told_place <= ${limit}::bigint) as places,
      start.epoch as start_epoch, start.pos::text as start_pos, start.id as start_id,
      ${after?.line ?? null}::bigint as start_line, (
        select max(epoch) from ${eitherSql(sql`log_epochs`, () => epochsOf(companyId))} issued
        where issued.line = ${after?.line ?? null}::bigint
      ) as issued_epoch,
      first.epoch as first_epoch, first.pos::text as first_pos,
      next.epoch as next_epoch, next.pos::text as next_pos, next.id as next_id,
      (select count(*) from told) > ${limit}::bigint or (select count(*) from examined) = ${examinedMax}::bigint as more,
      log.epoch, log.line, log.pos::text as horizon,
      case when start.epoch < log.epoch then ${eitherSql(
        sql`(
        select coalesce(max(pos), '0')::text from log_marks m where m.epoch = start.epoch
      )`,
        () => endOf(companyId, sql`start.epoch`),
      )} end as closed_at,
      kept.epoch as kept_epoch, kept.pos::text as kept_pos
    from start cross join log left join kept on true left join next on true
    left join (select epoch, pos from examined where place = 1 limit 1) first on true`
}

/** Returns the changes of one record, newest first, in the same form. */
export const changesOfRecord = (
  definition: Definition,
  { companyId, id, limit, offset }: PageCut & { companyId: number; id: number },
): Sql => sql`
    select coalesce(string_agg(${changeJson([definition], companyId)}, ',' order by h.place), '') as json from (
      select *, row_number() over () as place from (
        select * from history
        where company_id = ${companyId} and records = ${definition.name} and ${equalsIndexed(sql`record_id`, id)}
        order by record_id desc, id desc limit ${limit} offset ${offset}
      ) ordered
    ) h`

/**
 * Returns the JSON of the change `h`, as text. A live record is shown in its current state, a deleted one in its last
 * state.
 */
function changeJson(definitions: readonly Definition[], companyId: number): Sql {
  const action = raw("case h.action when 'changed' then 'updated' else h.action end")
  return sql`(select row_to_json(change)::text from (
      select h.records || '.' || ${action} as event, ${eventId} as id, ${instant('h.at')} as at,
        h.records, h.record_id, h.version, ${action} as action, h.changes,
        case when h.action in ('deleted', 'erased') then ${recordHeld(definitions)} else ${recordNow(definitions, companyId)} end as record,
        ${by} as by,
        h.write_id, h.removal_id
    ) change)`
}

/** Returns the record of the deletion `h` in its last state. Members that the resource has got since are null. */
function recordHeld(definitions: readonly Definition[]): Sql {
  const whole = definitions.map(({ name, fields }) => {
    const members = Object.keys(fields).map((field) => `"${field}" json`)
    return raw(
      `when '${name}' then (select row_to_json(record) from json_to_record(h.held) record(${members.join(', ')}))`,
    )
  })
  return sql`case when h.held is not null then case h.records ${join(whole, ' ')} end end`
}

const by = jsonObject({
  channel: sql`case h.door when 'web' then 'console' else h.door end`,
  account_id: sql`h.account_id`,
  token_id: sql`h.token_id`,
  request_id: sql`h.request_id`,
  idempotency_key: sql`h.idempotency_key`,
  preview_id: sql`h.preview_id`,
})
