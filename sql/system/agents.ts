import type { AgentSettings } from '#registry/agents.ts'
import { type Statement, sql, statement } from '../statement.ts'

/** Whether agents may reach a company, and what they need a person for. */

export type AgentsRow = { agents: AgentSettings | null }

export const selectAgents = (companyId: number): Statement =>
  statement(sql`select agents from companies where id = ${companyId}`, 'agents.settings')

/** Holds them: of two who change them the second sees what the first has set. */
export const holdAgents = (companyId: number): Statement =>
  statement(sql`select agents from companies where id = ${companyId} for no key update`, 'agents.hold')

export const updateAgents = (companyId: number, settings: AgentSettings | null): Statement =>
  statement(
    sql`update companies set agents = ${settings && JSON.stringify(settings)}::jsonb where id = ${companyId}`,
    'agents.update',
  )
