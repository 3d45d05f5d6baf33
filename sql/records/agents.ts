import { companyRow } from '../access.ts'
import { type Statement, sql, statement } from '../statement.ts'
import type { CallerAsk } from '../system/caller.ts'
import type { AgentsRow } from '../system/companies.ts'
import { withCaller } from './read.ts'

/** The settings of an agent's company, with the caller. `erased_at` is the time of the last erasure of a person. */
export type AgentCompanyRow = AgentsRow & { erased_at: string | null }

export const agentWithCaller = (ask: CallerAsk): Statement =>
  statement(
    withCaller(
      ask,
      sql`
    select c.agents, c.persons_erased_at::text as erased_at from ${companyRow(ask.companyId)} c`,
    ),
    'agents.with-caller',
  )
