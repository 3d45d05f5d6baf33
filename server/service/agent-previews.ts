import { type AgentHour, neededToDecide, type PersonReason, reasonsForPerson } from '#derive/agent/person.ts'
import { type AgentSettings, openPreviewsMax } from '#registry/agents.ts'
import { type Preview, Refusal } from '#registry/refusals.ts'
import { shareCompany } from '#sql/system/companies.ts'
import {
  countPreviews,
  type DecidedRow,
  decidePreview,
  type HourRow,
  hourOfAgents,
  insertPreview,
  type JudgedRow,
  judgedPreview,
  type PreviewCall,
  type PreviewRow,
  type PreviewState,
  previewRoom,
  type RoomRow,
  shownPreview,
  takeHourTurn,
  takeTurn,
} from '#sql/system/previews.ts'
import type { Actor } from '../records/actor.ts'
import type { Database, Transaction } from '../store/database.ts'

/** Previews of agents: how they are stored, checked and decided. Decisions, Agents. */

/** Returns the state as it is shown. */
export const stateOf = ({ state, is_expired }: Pick<PreviewRow, 'state' | 'is_expired'>): PreviewState | 'expired' =>
  is_expired ? 'expired' : state

/** Returns whether a preview can still be applied. */
export const isLive = (row: Pick<PreviewRow, 'state' | 'is_expired'>): boolean =>
  ['open', 'waiting', 'approved'].includes(stateOf(row))

/**
 * Stores a preview. Returns the time until which it can be applied, and the records of the last hour. Throws if the company has too many, or if a person
 * was erased since `erasedAt`: the preview may then contain erased values.
 */
export async function keepPreview(
  transaction: Transaction,
  companyId: number,
  erasedAt: string | null,
  preview: Pick<PreviewRow, 'id' | 'token_id' | 'client' | 'why'> & { call: PreviewCall; plan: Preview },
): Promise<Pick<RoomRow, 'expires_at' | 'hour_records'>> {
  transaction.send(takeTurn(companyId))
  // A later erasure waits for this; an earlier one is seen.
  await transaction.run(shareCompany(companyId))
  const [room] = await transaction.run<RoomRow>(previewRoom(companyId, erasedAt))
  if (!room?.is_same) throw new Refusal('unavailable', { detail: erasedMeanwhile, headers: { 'Retry-After': '1' } })
  if (room.open >= openPreviewsMax) throw new Refusal('too_many_requests', { detail: tooMany })
  const { expires_at, hour_records } = room
  transaction.send(insertPreview(companyId, { ...preview, hash: preview.plan.hash, expires_at }))
  return { expires_at, hour_records }
}

const erasedMeanwhile = 'A person of the company was erased meanwhile. Nothing was kept; preview it again.'
const tooMany = `The company has ${openPreviewsMax} previews that are neither applied nor declined nor expired. Apply some, or let a person decide.`

/** Returns a preview with the current data to judge it. Throws if the company has none with this id. */
export async function findPreview({ run }: Pick<Transaction, 'run'>, companyId: number, id: string, isHeld = false) {
  const [row] = await run<JudgedRow>(judgedPreview(companyId, id, isHeld))
  if (!row) throw noPreview()
  return row
}

const noPreview = (): Refusal => new Refusal('not_found', { detail: 'The company has no preview with this id.' })

/** The reasons for which a preview needs a person, and whether it is approved. */
export type Judgement = { reasons: PersonReason[]; isApproved: boolean }

/** Returns the records of the last hour, with the most that agents may change. */
export const hourOf = ({ hour_records: records }: HourRow, { agentRecordsPerHour: max }: HourBound): AgentHour => ({
  records,
  max,
})

export type HourBound = { agentRecordsPerHour: number }

/**
 * Makes writes of agents without a person wait for this one, and returns the records of the last hour. It is called
 * last, so that a write that waits here is waited for by nobody but its like.
 */
export async function takeHour({ send, run }: Transaction, companyId: number, bound: HourBound): Promise<AgentHour> {
  send(takeHourTurn(companyId))
  const [row] = await run<HourRow>(hourOfAgents(companyId))
  return hourOf(row as HourRow, bound)
}

/** Judges a live preview by the present rules. An approval counts while its account may still approve. */
export function judge(row: JudgedRow, settings: AgentSettings, hour: AgentHour): Judgement {
  const { plan, call, state, permissions } = row
  if (!plan || !call) return { reasons: [], isApproved: false }
  const needed = neededToDecide(plan, call.operations)
  return {
    reasons: reasonsForPerson({ plan, isUndo: call.undo !== undefined }, settings, hour),
    isApproved: state === 'approved' && permissions !== null && needed.every((one) => permissions.includes(one)),
  }
}

export const mayDecide = ({ plan, call }: PreviewRow, permissions: readonly string[]): boolean =>
  plan !== null && call !== null && neededToDecide(plan, call.operations).every((one) => permissions.includes(one))

/** Throws if an account with these permissions may not see the preview. */
export function needToDecide({ plan, call }: PreviewRow, permissions: readonly string[]): void {
  if (!plan || !call) throw noPreview()
  const lacking = neededToDecide(plan, call.operations).find((one) => !permissions.includes(one))
  if (lacking !== undefined)
    throw new Refusal('insufficient_scope', { required_scope: lacking, detail: mayNot(lacking) })
}

export async function showPreview({ run }: Transaction, companyId: number, id: string): Promise<DecidedRow> {
  const [row] = await run<DecidedRow>(shownPreview(companyId, id))
  if (!row?.plan) throw noPreview()
  return row
}

/**
 * Approves or declines a preview for an account with these permissions. Approval writes nothing: the agent applies the
 * preview, with the rights that its token has then. Throws if the given hash is not that of the stored preview.
 */
export async function decide(
  transaction: Transaction,
  { companyId, accountId }: Actor,
  id: string,
  wanted: { state: 'approved' | 'declined'; hash?: string; permissions: readonly string[] },
): Promise<void> {
  const { state, hash, permissions } = wanted
  const row = await findPreview(transaction, companyId, id, true)
  needToDecide(row, permissions)
  if (hash !== undefined && hash !== row.hash) throw new Refusal('plan_changed', { plan: row.plan as Preview })
  const told = stateOf(row)
  if (told === state) return
  if (!isLive(row)) throw new Refusal('preview_ended', { detail: endings[told] as string })
  transaction.send(decidePreview(companyId, id, { state, accountId: accountId as number }))
}

const mayNot = (permission: string): string =>
  `Whoever decides about this change has to hold ${permission}. Ask somebody who does.`

const endings: { readonly [state: string]: string } = {
  applied: 'The agent has applied it already.',
  declined: 'It was declined already.',
  expired: 'Its time is over; the agent has to preview it again.',
}

/** Counts the previews of all companies that can still be applied, by state. */
export async function howPreviewsDo(database: Pick<Database, 'read'>): Promise<{ [state: string]: number }> {
  const rows = await database.read<{ state: string; count: number }>(countPreviews())
  const none = { open: 0, waiting: 0, approved: 0 }
  return { ...none, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) }
}
