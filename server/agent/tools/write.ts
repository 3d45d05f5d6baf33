import { cutTexts, rowsThatFit } from '#derive/agent/fit.ts'
import type { AgentHour, PersonReason } from '#derive/agent/person.ts'
import { readOperations } from '#derive/agent/texts.ts'
import { ownRoute } from '#derive/routes.ts'
import { agentChangesMax } from '#registry/agents.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { undoneRecordsMax } from '#registry/limits.ts'
import { invalidField, type Preview, Refusal } from '#registry/refusals.ts'
import { servedResources } from '#registry/resources/index.ts'
import { catalogues } from '#registry/words/index.ts'
import { type JudgedRow, judgedPreview, letWait, type PreviewCall, settlePreview } from '#sql/system/previews.ts'
import type { Write } from '../../pipeline/handler.ts'
import { handlers } from '../../pipeline/handlers/index.ts'
import { formatStorable } from '../../pipeline/mask.ts'
import type { CallResponse } from '../../pipeline/response.ts'
import { newWriteId } from '../../records/actor.ts'
import {
  findPreview,
  type HourBound,
  hourOf,
  isLive,
  type Judgement,
  judge,
  keepPreview,
  stateOf,
  takeHour,
} from '../../service/agent-previews.ts'
import { callWrite } from '../calls.ts'
import type { Agent } from '../request.ts'

/** The tools that write, in two steps: a preview is stored, and applied as it was stored. Decisions, Agents. */

/** Runs a change as a dry-run, and stores its preview. */
export async function preview(agent: Agent, { operations, undo, why }: JsonObject): Promise<JsonObject> {
  const call: PreviewCall =
    operations === undefined
      ? { undo: String(undo).toLowerCase() }
      : { operations: readOperations(servedResources, catalogues, operations as JsonObject[]) }
  const { body } = await make(agent, call, { 'X-Dry-Run': '1' })
  const plan = body.plan as unknown as Preview
  const { remaining = 0 } = body.data as { remaining?: number }
  if (remaining > 0) {
    const message = `is of more than ${undoneRecordsMax} records; a person takes it back in the web interface`
    throw invalidField('undo', 'not_allowed', message)
  }
  const { app, admitted, client, erasedAt, settings, share } = agent
  const { ask, caller } = admitted
  const id = newWriteId()
  const kept = { id, token_id: caller.token_id, client, why: formatStorable(String(why)), call, plan }
  const room = await app.database.transaction(
    (transaction) => keepPreview(transaction, ask.companyId, erasedAt, kept),
    share,
  )
  const hour = hourOf(room, app.config)
  const { reasons } = judge({ ...kept, state: 'open', permissions: null } as unknown as JudgedRow, settings, hour)
  const rows = cutTexts(plan.changes.slice(0, agentChangesMax) as unknown as Json) as JsonObject[]
  const answer = (changes: readonly JsonObject[]): JsonObject => ({
    ...{ preview: id, hash: plan.hash, total: plan.total, changes: [...changes], more: changes.length < plan.total },
    ...{ ...formatNeed(reasons, hour), expires_at: room.expires_at },
  })
  return answer(rows.slice(0, rowsThatFit(rows, answer)))
}

/** Returns the state of a preview, and changes nothing. */
export const status = async (agent: Agent, { preview: id }: JsonObject): Promise<JsonObject> =>
  formatState(agent, await look(agent, id as string))

/**
 * Applies a preview, once. For one that is over it returns the state; one that needs a person waits. A call that finds
 * the preview decided meanwhile returns its state.
 */
export async function apply(agent: Agent, { preview: id }: JsonObject): Promise<JsonObject> {
  const row = await look(agent, id as string)
  const judged = judge(row, agent.settings, hourOf(row, agent.app.config))
  if (!isLive(row)) return formatState(agent, row)
  if (needsPerson(judged)) {
    await agent.app.database.read(letWait(agent.admitted.ask.companyId, row.id), agent.share)
    return formatState(agent, await look(agent, row.id))
  }
  const claim: Claim = {}
  try {
    await make(agent, row.call as PreviewCall, { 'If-Plan': `"${row.hash}"` }, { row, claim, bound: agent.app.config })
  } catch (error) {
    if (!claim.found) throw error
    if (isLive(claim.found) && needsPerson(claim.found.judged))
      await agent.app.database.read(letWait(agent.admitted.ask.companyId, row.id), agent.share)
  }
  return formatState(agent, await look(agent, row.id))
}

/**
 * Returns whether the change needs a person, and the reasons. If one of them is the limit of an hour, the result also says
 * how much of that limit is used.
 */
const formatNeed = (reasons: readonly PersonReason[], hour: AgentHour): JsonObject => ({
  ...{ needs_person: reasons.length > 0, because: [...reasons] },
  ...(reasons.includes('hourly') ? { hour } : {}),
})

const needsPerson = ({ reasons, isApproved }: Judgement): boolean => reasons.length > 0 && !isApproved

/** The preview as its transaction read it, set only if it cannot be applied in that state. */
type Claim = { found?: JudgedRow & { judged: Judgement } }

const look = (agent: Agent, id: string): Promise<JudgedRow> =>
  findPreview(
    { run: (statement) => agent.app.database.read(statement, agent.share) } as Parameters<typeof findPreview>[0],
    agent.admitted.ask.companyId,
    id.toLowerCase(),
  )

type AppliedPreview = { row: JudgedRow; claim: Claim; bound: HourBound }

/** Makes the call of a preview: as a dry-run, or to apply it. */
function make(agent: Agent, call: PreviewCall, headers: { readonly [name: string]: string }, applied?: AppliedPreview) {
  const isUndo = call.undo !== undefined
  const route = ownRoute(isUndo ? 'writes.undo' : 'batch')
  const write = isUndo ? handlers['writes.undo'](route) : handlers.batch(route)
  return callWrite(agent, route, applied ? claimPreview(write, applied) : write, {
    ...(isUndo
      ? { params: { write_id: call.undo as string } }
      : { body: { mode: 'all', operations: call.operations ?? [] } }),
    headers,
    ...(applied ? { preview: applied.row.id } : {}),
  })
}

/**
 * Returns a write that locks the preview first, and settles it with its last statement: of many concurrent calls, one
 * writes. A refusal leaves the preview as it was: before the work, and after it by the rollback.
 */
const claimPreview =
  (write: Write, { row: { id }, claim, bound }: AppliedPreview): Write =>
  (companyId, ...call) => {
    const command = write(companyId, ...call)
    return {
      ...command,
      async execute(transaction, actor, prefetched) {
        delete claim.found
        const [held] = await transaction.run<JudgedRow>(judgedPreview(companyId, id, true))
        if (!held?.agents) throw new Refusal('agents_off')
        const { agents } = held
        const need = (hour: AgentHour): void => {
          const judged = judge(held, agents, hour)
          if (isLive(held) && !needsPerson(judged)) return
          claim.found = { ...held, judged }
          throw new Refusal('plan_changed', { detail: decidedMeanwhile })
        }
        need(hourOf(held, bound))
        const response = command.respond(await command.execute(transaction, actor, prefetched))
        const { isApproved } = judge(held, agents, hourOf(held, bound))
        if (!isApproved)
          try {
            need(await takeHour(transaction, companyId, bound))
          } catch (error) {
            transaction.undo()
            throw error
          }
        const recordsAlone = isApproved ? null : (held.plan?.total ?? 0)
        const data = response.data as JsonObject
        // The outcome of each operation of a batch, or the number of records of an undo.
        const results = data.operations ?? data
        transaction.send(settlePreview(companyId, id, { writeId: actor.writeId, results, recordsAlone }))
        return response
      },
      respond: (response: CallResponse) => response,
    }
  }

const decidedMeanwhile = 'The preview was applied or decided meanwhile, or a rule was made stricter.'

/** Returns the state of a preview for the agent; of many results as many as fit. */
function formatState(agent: Agent, row: JudgedRow): JsonObject {
  const state = stateOf(row)
  const hour = hourOf(row, agent.app.config)
  const { reasons } = judge(row, agent.settings, hour)
  const shown = {
    ...{ preview: row.id, state, expires_at: row.expires_at },
    ...(isLive(row) ? formatNeed(reasons, hour) : {}),
    ...(state === 'waiting' ? { approve_at: agent.base + previewPath(row.id) } : {}),
    ...(row.write_id === null ? {} : { write_id: row.write_id }),
  }
  const { results } = row
  if (isObject(results)) return { ...shown, results }
  if (!Array.isArray(results)) return shown
  const answer = (rows: readonly Json[]): JsonObject => ({
    ...{ ...shown, results: [...rows] },
    ...(rows.length < results.length ? { more: true } : {}),
  })
  return answer(results.slice(0, rowsThatFit(results, answer)))
}

/** Returns the path of the console's page on which a person decides on a preview. */
const previewPath = (id: string): string => `/#/agents/${id}`
