import { reasonsForPerson } from '#derive/agent/person.ts'
import type { AgentPreview, AgentPreviewResult, Agents, NamedRecord } from '#derive/console/responses.ts'
import { type AgentSettings, agentDefaults, agentPath } from '#registry/agents.ts'
import type { Preview } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { type HistoryRow, recentByToken, type TitleRow, titlesOf } from '#sql/records/history.ts'
import { type DecidedRow, latestPreviews, type PreviewCall, waitingPreviews } from '#sql/system/previews.ts'
import { baseOf } from '../http/base.ts'
import { readWriteId } from '../records/actor.ts'
import {
  decide,
  type HourBound,
  hourOf,
  isLive,
  mayDecide,
  needToDecide,
  showPreview,
  stateOf,
} from '../service/agent-previews.ts'
import { setAgents, showAgents } from '../service/agents.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import { shownLine } from './history.ts'
import { type AdmittedRequest, type Handlers, revocation } from './operation-request.ts'
import { createWholeList } from './response.ts'
import { confirmOwn } from './sessions.ts'

/** Settings, Agents, and the previews of agents. A preview is shown to accounts that may decide on it. */

export const agents = {
  'agents.fetch': async (asked) => ({ data: formatSettings(asked, await asked.read(showAgents)) }),

  async 'agents.update'(asked) {
    const { enabled, own_password, ...settings } = await asked.body()
    const needConfirmed = await confirmOwn(asked, own_password)
    return asked.change(async (transaction, { actor, row }) => {
      const author = { holds: row.permissions, needConfirmed }
      const set = await setAgents(transaction, actor, enabled ? settings : null, author)
      return { data: formatSettings(asked, set) }
    }, revocation)
  },

  'agents.waiting': ({ app, read, session }) =>
    read(async (transaction, companyId) => {
      const [{ length: count }, settings] = await Promise.all([
        waitingFor(transaction, companyId, session(), app.config),
        showAgents(transaction, companyId),
      ])
      return { data: { count, is_used: settings !== null || count > 0 } }
    }),

  'agents.previews': ({ app, read, session }) =>
    read(async (transaction, companyId) => {
      const settings = await settingsOf(transaction, companyId)
      const rows = await transaction.run<DecidedRow>(latestPreviews(companyId, listedMax))
      const open = rows.filter((row) => isOpenTo(session(), row))
      return createWholeList(open.map((row) => inShort(row, settings, app.config)))
    }),

  'agents.preview': (asked) => fetchPreview(asked),

  async 'agents.approve'(asked) {
    await fetchPreview(asked)
    const { hash } = await asked.body()
    return decidePreview(asked, { state: 'approved', hash })
  },

  async 'agents.decline'(asked) {
    // A retry is answered from what was stored, so the right to see it is checked before.
    await fetchPreview(asked)
    return decidePreview(asked, { state: 'declined' })
  },
} satisfies Partial<Handlers>

const formatSettings = ({ app, request }: AdmittedRequest, settings: AgentSettings | null): Agents => ({
  enabled: settings !== null,
  ...(settings ?? agentDefaults),
  url: baseOf(app.config, request) + agentPath,
})

/** Number of the newest previews that are examined. */
const listedMax = 100

const fetchPreview = (asked: AdmittedRequest) =>
  asked.read((transaction, companyId) => readPreview(asked, transaction, companyId, asked.session()))

const decidePreview = (asked: AdmittedRequest, wanted: { state: 'approved' | 'declined'; hash?: string }) => {
  const id = idOf(asked)
  return asked.change(async (transaction, session) => {
    const { actor, row } = session
    await decide(transaction, actor, id, { ...wanted, permissions: row.permissions })
    return readPreview(asked, transaction, actor.companyId, session)
  })
}

/** Returns the previews that the account of the session may decide on, the oldest first. */
export async function waitingFor(transaction: Transaction, companyId: number, session: Session, bound: HourBound) {
  const waiting = await transaction.run<DecidedRow>(waitingPreviews(companyId))
  const rows = waiting.filter((row) => isOpenTo(session, row))
  if (rows.length === 0) return []
  const settings = await settingsOf(transaction, companyId)
  return rows.map((row) => inShort(row, settings, bound))
}

const isOpenTo = ({ row: { permissions } }: Session, row: DecidedRow): boolean => mayDecide(row, permissions)

/** Returns the settings, or while agents are off the defaults, by which previews are judged then. */
const settingsOf = async (transaction: Transaction, companyId: number): Promise<AgentSettings> =>
  (await showAgents(transaction, companyId)) ?? agentDefaults

async function readPreview(asked: AdmittedRequest, transaction: Transaction, companyId: number, session: Session) {
  const row = await showPreview(transaction, companyId, idOf(asked))
  needToDecide(row, session.row.permissions)
  const { call, plan, hash } = row as DecidedRow & { call: PreviewCall; plan: Preview }
  const short = inShort(row, await settingsOf(transaction, companyId), asked.app.config)
  const data: AgentPreviewResult = {
    ...short,
    hash,
    plan,
    operations: call.operations ?? null,
    undo: call.undo ?? null,
    named: await nameRecords(transaction, session, row as DecidedRow & { plan: Preview }),
  }
  return { data }
}

/** Returns the records of a preview with their titles, and the changes that its token made in them within a day. */
async function nameRecords(
  { run }: Transaction,
  { actor: { companyId, lacksRights } }: Session,
  { plan, token_id: tokenId, write_id: besides }: DecidedRow & { plan: Preview },
): Promise<NamedRecord[]> {
  const ids = new Map<string, Set<number>>()
  const add = (records: string, more: readonly (number | null)[]): void => {
    ids.set(records, new Set([...(ids.get(records) ?? []), ...more.filter((id) => id !== null)]))
  }
  for (const { records, id } of plan.changes) add(records, [id])
  for (const { records, ids: along } of plan.would_delete) add(records, along)
  const parts = await Promise.all(
    [...ids].map(async ([records, wanted]) => {
      const definition = definitionOf(registry, records)
      if (!definition || wanted.size === 0) return []
      const [titles, changes] = await Promise.all([
        run<TitleRow>(titlesOf(companyId, definition, [...wanted])),
        run<HistoryRow>(recentByToken(companyId, { records, ids: [...wanted], tokenId, besides })),
      ])
      const byRecord = Map.groupBy(changes, ({ record_id }) => record_id)
      const titleOf = new Map(titles.map(({ id, title }) => [id, title]))
      return [...wanted].map((id) => ({
        records,
        record_id: id,
        title: titleOf.get(id) ?? null,
        recent: (byRecord.get(id) ?? []).map((entry) => shownLine(entry, lacksRights)),
      }))
    }),
  )
  return parts.flat()
}

function inShort(row: DecidedRow, settings: AgentSettings, bound: HourBound): AgentPreview {
  const { id, client, why, created_at, expires_at, decided_at, write_id, token_label, plan, call } = row
  const { decided_by, decided_by_name } = row
  // What is over is held against no hour.
  const hour = isLive(row) ? hourOf(row, bound) : { records: 0, max: Number.POSITIVE_INFINITY }
  return {
    ...{ id, client, why, created_at, expires_at, decided_at, write_id, token_label },
    state: stateOf(row),
    total: plan?.total ?? 0,
    because: plan ? reasonsForPerson({ plan, isUndo: call?.undo !== undefined }, settings, hour) : [],
    decided_by: decided_by === null ? null : { account_id: decided_by, name: decided_by_name ?? '' },
  }
}

/** A text that is no id names no preview. */
const idOf = ({ id }: Pick<AdmittedRequest, 'id'>): string => readWriteId(id ?? '') ?? nowhere

const nowhere = '00000000-0000-0000-0000-000000000000'
