import { raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { PageCut } from '#registry/listing.ts'
import { permission } from '#registry/permissions.ts'
import { byKey, companyRow } from '../access.ts'
import { markNow } from '../citus/log.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { type CallerAsk, type CallerRow, ofToken } from '../system/caller.ts'
import { horizon, newestEpoch, newestLine } from '../system/log.ts'
import { type ChangesAsk, changesOfRecord, changesPage } from './changes.ts'
import { countOfHistory } from './history.ts'
import { withCaller } from './read.ts'

/** The log of changes, read together with its caller. */

/** The resources that are open to the caller: by scope alone, and by scope and add-on. */
export type OpenRow = { in_scope: string[]; open: string[] }

/** Reads a page of the changes of resources that are open to the caller, or of the named ones among them. */
export const changesWithCaller = (
  ask: CallerAsk,
  definitions: readonly Definition[],
  asked: ChangesAsk & { records: readonly string[] | null },
): Statement => {
  const { records } = asked
  const wanted = records === null ? definitions : definitions.filter(({ name }) => records.includes(name))
  const page = statement(
    withCaller(
      ask,
      sql`
    with rights as materialized (${openTo(ask, wanted)})
    select rights.*, page.* from rights
    left join lateral (${changesPage(definitions, asked, sql`rights.open`)}) page on true`,
    ),
    'changes.page-with-caller',
  )
  // After a change, or a network failure, many callers ask for the same page at once.
  return { ...page, heavyOf: ask.companyId }
}

/** Reads the current position, and marks it for an authorized caller. */
export const nowWithCaller = (ask: CallerAsk, definitions: readonly Definition[]): Statement =>
  statement(
    withCaller(
      ask,
      sql`
    with rights as materialized (${openTo(ask, definitions)})
    select rights.*, marked.epoch as start_epoch, marked.pos as start_pos, marked.line from rights left join marked on true`,
      sql`, marked as (
      insert into log_marks as m (epoch, pos)
      select ${newestEpoch}, ${horizon} from caller where caller.live and caller.address_allowed
      on conflict (epoch, pos) do update set at = m.at
      returning epoch, pos::text, ${newestLine} as line
    )`,
    ),
    'changes.now-with-caller',
    async (run) => {
      const rights = statement(withCaller(ask, openTo(ask, definitions)), 'changes.rights-with-caller')
      const rows = await run<CallerRow & OpenRow>(rights)
      const [caller] = rows
      if (!caller?.live || !caller.address_allowed) return rows
      const [mark] = (await markNow(run, ask.companyId)) as { epoch: number; pos: string; line: number | null }[]
      return [{ ...caller, start_epoch: mark?.epoch, start_pos: mark?.pos, line: mark?.line }]
    },
  )

/** Reads the changes of one record and their number; none if the record never existed. */
export const historyWithCaller = (
  ask: CallerAsk,
  definition: Definition,
  id: number,
  { limit, offset }: PageCut,
): Statement => {
  const { companyId } = ask
  return statement(
    withCaller(
      ask,
      sql`
    select (${countOfHistory(companyId, definition.name, id)}) as total,
      (${changesOfRecord(definition, { companyId, id, limit, offset })}) as json`,
    ),
    `${definition.name}.changes-with-caller`,
  )
}

const openTo = ({ companyId, tokenHash }: CallerAsk, definitions: readonly Definition[]): Sql => {
  const names = definitions.map(({ name }) => name)
  const scopes = names.map((name) => permission(name, 'VIEW'))
  const addOns = definitions.map(({ served }) => served?.addOn ?? 'api')
  return sql`
      select coalesce(array_agg(asked.name), '{}') as in_scope,
        coalesce(array_agg(asked.name) filter (where asked.add_on = any (c.add_ons)), '{}') as open
      from (select * from tokens ${ofToken(companyId, tokenHash)}) t
      cross join ${byKey('accounts', companyId, raw('caller.account_id'))} a
      cross join ${companyRow(companyId)} c
      cross join unnest(${names}::text[], ${scopes}::text[], ${addOns}::text[]) asked (name, scope, add_on)
      where asked.scope = any (t.scopes) and asked.scope = any (a.permissions)`
}
