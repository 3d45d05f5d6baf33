import type { AgentSettings } from '#registry/agents.ts'
import { previewHours, previewKeptDays } from '#registry/agents.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { Preview } from '#registry/refusals.ts'
import { byKey, companyRow, equalsIndexed, inOrderOf, rowsOf } from '../access.ts'
import { instant, query, type Statement, sql, statement } from '../statement.ts'
import { nextCompanies } from './sweep.ts'

/** Previews by agents, and their outcomes. Decisions, Agents. */

export type PreviewState = 'open' | 'waiting' | 'approved' | 'declined' | 'applied'

/** The call of the dry-run, which the write repeats: `operations` of a batch, or the id of the write to undo. */
export type PreviewCall = { operations?: JsonObject[]; undo?: string }

export type PreviewRow = {
  id: string
  token_id: number
  client: string | null
  why: string | null
  /** Null once it is erased, like the members that follow from it. */
  call: PreviewCall | null
  hash: string
  plan: Preview | null
  state: PreviewState
  decided_by: number | null
  decided_at: string | null
  write_id: string | null
  results: Json
  created_at: string
  expires_at: string
  /** Whether its time is over while it was neither declined nor applied. */
  is_expired: boolean
  /** The records that agents of the company have changed within the last hour without a person. */
  hour_records: number
}

const columns = sql`p.id, p.token_id, p.client, p.why, p.call, p.hash, p.plan, p.state, p.decided_by,
  ${instant('p.decided_at')} as decided_at, p.write_id, p.results, ${instant('p.created_at')} as created_at,
  ${instant('p.expires_at')} as expires_at, p.ended_at is null and p.expires_at <= now() as is_expired`

/** Sums the records of the previews that were applied within the last hour without a person. */
const hourRecords = (companyId: number) => sql`(
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = ${companyId} and records_alone is not null and ended_at > now() - interval '1 hour' ${inOrderOf(sql`ended_at`)}
      ) applied
    ) as hour_records`

export type HourRow = Pick<PreviewRow, 'hour_records'>

/** Sums them in a statement of its own, which sees all that was committed before it. */
export const hourOfAgents = (companyId: number): Statement => query('previews.hour')`select ${hourRecords(companyId)}`

/**
 * Makes writes of agents of a company without a person wait for each other, so that each sees the records of all others.
 * It is taken last: nothing else is locked while it is held.
 */
export const takeHourTurn = (companyId: number): Statement =>
  query('previews.hour-turn')`select pg_advisory_xact_lock(hashtext('records of agents'), ${companyId % 2 ** 31}::int)`

/** Makes inserts of previews of a company wait for each other, so that each sees their number. */
export const takeTurn = (companyId: number): Statement =>
  query('previews.turn')`select pg_advisory_xact_lock(hashtext('previews'), ${companyId % 2 ** 31}::int)`

/** The previews that can be applied, whether nobody was erased since `erasedAt`, and the end of a new one. */
export type RoomRow = HourRow & { open: number; is_same: boolean; expires_at: string }

export const previewRoom = (companyId: number, erasedAt: string | null): Statement =>
  query('previews.room')`select persons_erased_at is not distinct from ${erasedAt}::timestamptz as is_same, (
      select count(*) from (
        select from previews where company_id = ${companyId} and ended_at is null and expires_at > now() ${inOrderOf(sql`expires_at`)}
      ) live
    ) as open, ${hourRecords(companyId)}, ${instant(`(now() + make_interval(hours => ${previewHours}))`)} as expires_at from ${companyRow(companyId)} c`

type NewPreview = Pick<PreviewRow, 'id' | 'token_id' | 'client' | 'why' | 'call' | 'hash' | 'plan' | 'expires_at'>

export const insertPreview = (
  companyId: number,
  { id, token_id, client, why, call, hash, plan, expires_at }: NewPreview,
): Statement =>
  query('previews.insert')`insert into previews (company_id, id, token_id, client, why, call, hash, plan, expires_at)
    values (${companyId}, ${id}::uuid, ${token_id}, ${client}, ${why}, ${JSON.stringify(call)}::jsonb, ${hash},
      ${JSON.stringify(plan)}::jsonb, ${expires_at}::timestamptz)`

/** A preview with the data that decides on it: the current settings of agents, and the permissions of its approver. */
export type JudgedRow = PreviewRow & {
  agents: AgentSettings | null
  /** Null if nobody has decided, or the account is disabled. */
  permissions: string[] | null
}

/** Reads a preview. If it is locked, no other transaction can apply it or decide on it. */
export const judgedPreview = (companyId: number, id: string, isHeld: boolean): Statement =>
  query(
    isHeld ? 'previews.hold' : 'previews.find',
  )`select ${columns}, ${hourRecords(companyId)}, c.agents, a.permissions
    from (
      select * from previews where company_id = ${companyId} and id = ${id}::uuid ${isHeld ? sql`for no key update` : sql``} offset 0
    ) p cross join ${companyRow(companyId)} c
    left join lateral (
      select permissions from ${byKey('accounts', companyId, sql`p.decided_by`)} account where disabled_at is null
    ) a on true`

/** Lets a preview wait for a person if it was open, or its approver has lost the right. */
export const letWait = (companyId: number, id: string): Statement =>
  query('previews.wait')`update previews set state = 'waiting', decided_by = null, decided_at = null
    where company_id = ${companyId} and id = ${id}::uuid and state in ('open', 'approved')`

/** Must be held. */
export const decidePreview = (
  companyId: number,
  id: string,
  { state, accountId }: { state: 'approved' | 'declined'; accountId: number },
): Statement =>
  query(state === 'declined' ? 'previews.decline' : 'previews.approve')`
    update previews set state = ${state}::text, decided_by = ${accountId}, decided_at = now()${state === 'declined' ? sql`, ended_at = now()` : sql``}
    where company_id = ${companyId} and id = ${id}::uuid`

/** Must be held. `recordsAlone` are the records that were changed without a person; null if one has approved. */
export const settlePreview = (
  companyId: number,
  id: string,
  { writeId, results, recordsAlone }: { writeId: string; results: Json; recordsAlone: number | null },
): Statement =>
  query('previews.settle')`
    update previews set state = 'applied', write_id = ${writeId}::uuid, results = ${JSON.stringify(results)}::jsonb,
      records_alone = ${recordsAlone}::int, ended_at = now()
    where company_id = ${companyId} and id = ${id}::uuid`

export type DecidedRow = PreviewRow & { token_label: string; decided_by_name: string | null }

/** Reads one preview for the console. */
export const shownPreview = (companyId: number, id: string): Statement =>
  statement(
    selectPreviews(
      companyId,
      sql`(select * from previews where company_id = ${companyId} and id = ${id}::uuid offset 0)`,
    ),
    'previews.show',
  )

/** Reads the newest previews: those that wait for a person or can still be applied, or all. */
export const latestPreviews = (companyId: number, limit: number): Statement =>
  query('previews.latest')`${selectPreviews(
    companyId,
    sql`(select * from previews where company_id = ${companyId} order by created_at desc limit ${limit})`,
  )} order by p.created_at desc, p.id desc`

/** Reads previews that wait for a person, the oldest first. */
export const waitingPreviews = (companyId: number): Statement =>
  query('previews.waiting')`${selectPreviews(
    companyId,
    sql`(
        select * from previews where company_id = ${companyId} and ended_at is null and state = 'waiting' and expires_at > now()
        ${inOrderOf(sql`expires_at`)}
      )`,
  )} order by p.created_at, p.id`

const selectPreviews = (
  companyId: number,
  source: ReturnType<typeof sql>,
) => sql`select ${columns}, ${hourRecords(companyId)}, (
      select label from tokens where company_id = ${companyId} and ${equalsIndexed(sql`id`, sql`p.token_id`)} ${inOrderOf(sql`id`)}
    ) as token_label, (
      select name from ${byKey('accounts', companyId, sql`p.decided_by`)} account
    ) as decided_by_name from ${source} p`

/** Ends previews that could still be applied: they may contain an erased person. */
export const endPreviews = (companyId: number): Statement =>
  query('persons.end-previews')`update previews set state = 'declined', ended_at = now()
    where ${rowsOf('previews', companyId, 'id', sql`company_id = ${companyId} and ended_at is null ${inOrderOf(sql`expires_at`, sql`id`)}`)}`

/** Empties previews, which may contain an erased person. */
export const emptyPreviews = (companyId: number): Statement =>
  query('persons.empty-previews')`
    update previews set why = null, call = null, plan = null, results = null
    where ${rowsOf('previews', companyId, 'id', sql`company_id = ${companyId} ${inOrderOf(sql`created_at`)}`)}`

const isForgettable = sql`plan is not null and coalesce(ended_at, expires_at) < now() - make_interval(days => ${previewKeptDays})`

/** Reads the next companies, by their ids, with previews whose contents must be erased. */
export const companiesWithTold = (after: number, most: number): Statement => {
  const told = sql`previews where company_id = companies.id and ${isForgettable} ${inOrderOf(sql`expires_at`, sql`id`)}`
  return statement(nextCompanies(told, after, most), 'previews.companies-with-told')
}

export const forgetTold = (companyId: number, most: number): Statement =>
  query('previews.forget')`update previews set why = null, call = null, plan = null, results = null
    where ${rowsOf('previews', companyId, 'id', sql`company_id = ${companyId} and ${isForgettable} order by expires_at, id limit ${most}`)}
    returning 1 as swept`

const isOld = (keptDays: number) => sql`created_at < now() - make_interval(days => ${keptDays}::int)`

/** Reads the next companies with previews that are older than `keptDays`. */
export const companiesWithOldPreviews = (keptDays: number, after: number, most: number): Statement => {
  const old = sql`previews where company_id = companies.id and ${isOld(keptDays)} ${inOrderOf(sql`created_at`)}`
  return statement(nextCompanies(old, after, most), 'previews.companies-with-old')
}

export const sweepPreviews = (companyId: number, keptDays: number, most: number): Statement =>
  query('previews.sweep')`delete from previews
    where ${rowsOf('previews', companyId, 'id', sql`company_id = ${companyId} and ${isOld(keptDays)} order by created_at limit ${most}`)}
    returning 1 as swept`

/** Counts the previews of all companies that can still be applied, by state. */
export const countPreviews = (): Statement =>
  query('previews.count')`
    select state, count(*) as count from previews where ended_at is null and expires_at > now() group by state`
