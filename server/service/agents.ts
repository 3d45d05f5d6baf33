import { loosensAgents } from '#derive/console/confirmed.ts'
import { type AgentSettings, agentDefaults, agentRecordsMax } from '#registry/agents.ts'
import { invalidField } from '#registry/refusals.ts'
import { type AgentsRow, holdAgents, selectAgents, updateAgents } from '#sql/system/companies.ts'
import { closeGate } from '#sql/system/locks.ts'
import type { Actor } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import { auditChange } from './audit-log.ts'
import { noCompany } from './company.ts'
import { needToken } from './token.ts'

/** The settings of agents of a company: may they use /mcp, and which changes need a person. Decisions, Agents. */

/** Returns the settings; null while agents are off. */
export async function showAgents({ run }: Transaction, companyId: number): Promise<AgentSettings | null> {
  const [row] = await run<AgentsRow>(selectAgents(companyId))
  if (!row) throw noCompany(companyId)
  return row.agents
}

/** The author of new settings; the operator's needs nothing. */
type AgentsAuthor = {
  holds?: readonly string[]
  /** Called if agents may do more than before. Throws if that is not confirmed. */
  needConfirmed?(): void
}

/**
 * Sets the rights of agents, or switches agents off with null. Running writes of agents end before; later ones use the
 * new settings. Agents act for the account of the token, so who lets them do more must hold all that it holds.
 */
export async function setAgents(
  transaction: Transaction,
  actor: Actor,
  settings: AgentSettings | null,
  { holds, needConfirmed }: AgentsAuthor = {},
) {
  const { companyId } = actor
  if (settings) checkRecordsMax(settings)
  await transaction.run(closeGate(companyId))
  const [row] = await transaction.run<AgentsRow>(holdAgents(companyId))
  if (!row) throw noCompany(companyId)
  if (loosensAgents(row.agents, settings)) {
    await needToken(transaction, companyId, { accountId: actor.accountId, holds })
    needConfirmed?.()
  }
  await transaction.run(updateAgents(companyId, settings))
  await auditChange(transaction, actor, 'agents', [factsOf(companyId, row.agents), factsOf(companyId, settings)])
  return settings
}

/** Returns the settings as they are logged. */
const factsOf = (id: number, settings: AgentSettings | null) => ({
  id,
  enabled: settings !== null,
  ...(settings ?? agentDefaults),
})

function checkRecordsMax({ records_max }: AgentSettings): void {
  if (Number.isInteger(records_max) && records_max >= 0 && records_max <= agentRecordsMax) return
  throw invalidField('records_max', 'out_of_range', `must be a whole number from 0 to ${agentRecordsMax}`)
}
