import { cutTexts, rowsThatFit } from '#derive/agent/fit.ts'
import { ownRoute } from '#derive/routes.ts'
import { type AgentSettings, agentChangesMax } from '#registry/agents.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { undoneRecordsMax } from '#registry/limits.ts'
import { invalidField, type Preview, Refusal } from '#registry/refusals.ts'
import { type JudgedRow, judgedPreview, letWait, type PreviewCall, settlePreview } from '#sql/system/previews.ts'
import type { Write } from '../../pipeline/handler.ts'
import { handlers } from '../../pipeline/handlers/index.ts'
import { formatStorable } from '../../pipeline/masked-response.ts'
import { newWriteId } from '../../records/actor.ts'
import { findPreview, isLive, type Judgement, judge, keepPreview, stateOf } from '../../service/agent-previews.ts'
import { callWrite } from '../calls.ts'
import type { Agent } from '../request.ts'

/** The tools that write, in two steps: a preview is stored, and applied as it was stored. Decisions, Agents. */

/** Runs a change as a dry-run, and stores its preview. */
export async function preview(agent: Agent, { operations, undo, why }: JsonObject): Promise<JsonObject> {
  const call: PreviewCall =
    operations === undefined ? { undo: String(undo).toLowerCase() } : { operations: operations as JsonObject[] }
  const { body } = await make(agent, call, { 'X-Dry-Run': '1' })
  const plan = body.plan as unknown as Preview
  const { remaining = 0 } = body.data as { remaining?: number }
  if (remaining > 0) {
    const message = `is of more than ${undoneRecordsMax} records; a person takes it back in the web interface`
    throw invalidField('undo', 'not_allowed', message)
  }
  const { app, ask, caller, client, erasedAt, settings, share } = agent
  const id = newWriteId()
  const kept = { id, token_id: caller.token_id, client, why: formatStorable(String(why)), call, plan }
  const expiresAt = await app.database.transaction(
    (transaction) => keepPreview(transaction, ask.companyId, erasedAt, kept),
    share,
  )
  const { reasons } = judge({ ...kept, state: 'open', permissions: null } as unknown as JudgedRow, settings)
  const rows = cutTexts(plan.changes.slice(0, agentChangesMax) as unknown as Json) as JsonObject[]
  const answer = (changes: readonly JsonObject[]): JsonObject => ({
    ...{ preview: id, hash: plan.hash, total: plan.total, changes: [...changes], more: changes.length < plan.total },
    ...{ needs_person: reasons.length > 0, because: reasons, expires_at: expiresAt },
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
  const judged = judge(row, agent.settings)
  if (!isLive(row)) return formatState(agent, row)
  if (needsPerson(judged)) {
    await agent.app.database.read(letWait(agent.ask.companyId, row.id), agent.share)
    return formatState(agent, await look(agent, row.id))
  }
  const claim: Claim = {}
  try {
    await make(agent, row.call as PreviewCall, { 'If-Plan': `"${row.hash}"` }, { row, claim })
  } catch (error) {
    if (!claim.found) throw error
    if (isLive(claim.found) && needsPerson(claim.found.judged))
      await agent.app.database.read(letWait(agent.ask.companyId, row.id), agent.share)
  }
  return formatState(agent, await look(agent, row.id))
}

const needsPerson = ({ reasons, isApproved }: Judgement): boolean => reasons.length > 0 && !isApproved

/** The state of the preview in its transaction, if that keeps it from being applied. */
type Claim = { found?: JudgedRow & { judged: Judgement } }

const look = (agent: Agent, id: string): Promise<JudgedRow> =>
  findPreview(
    { run: (statement) => agent.app.database.read(statement, agent.share) } as Parameters<typeof findPreview>[0],
    agent.ask.companyId,
    id.toLowerCase(),
  )

type AppliedPreview = { row: JudgedRow; claim: Claim }

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
  (write: Write, { row: { id }, claim }: AppliedPreview): Write =>
  (companyId, ...asked) => {
    const command = write(companyId, ...asked)
    return {
      ...command,
      async execute(transaction, actor, seen) {
        delete claim.found
        const [held] = await transaction.run<JudgedRow>(judgedPreview(companyId, id, true))
        if (!held?.agents) throw new Refusal('agents_off')
        const judged = judge(held, held.agents)
        if (!isLive(held) || needsPerson(judged)) {
          claim.found = { ...held, judged }
          throw new Refusal('plan_changed', {
            detail: 'The preview was applied or decided meanwhile, or a rule was made stricter.',
          })
        }
        const answer = await command.execute(transaction, actor, seen)
        transaction.send(settlePreview(companyId, id, actor.writeId, resultsOf(answer.body)))
        return answer
      },
    }
  }

/** Returns the outcome of each operation of a batch, or the number of records of an undo. */
function resultsOf(body: string): Json {
  const { data } = JSON.parse(body) as { data: JsonObject }
  return (data.operations ?? data) as Json
}

/** Returns the state of a preview for the agent; of many results as many as fit. */
function formatState(agent: Agent, row: JudgedRow): JsonObject {
  const state = stateOf(row)
  const { reasons } = judge(row, agent.settings as AgentSettings)
  const shown = {
    ...{ preview: row.id, state, expires_at: row.expires_at },
    ...(isLive(row) ? { needs_person: reasons.length > 0, because: reasons } : {}),
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
