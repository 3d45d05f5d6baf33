import type { Command } from 'commander'
import { formatCount } from '#derive/words.ts'
import { type AgentSettings, agentDefaults, agentRecordsMax } from '#registry/agents.ts'
import { setAgents, showAgents } from '../service/agents.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { formatCompanyName, sayOf } from './with-app.ts'
import { addingTo, readWhole } from './words.ts'

type Options = { company: number; recordsMax: number; always?: boolean }

/** Adds agents enable, disable and show. */
export function addAgents(program: Command, context: CommandContext): void {
  const add = addingTo(
    program
      .command('agents')
      .description('Give agents access to a company at /mcp, and set which changes need a person.'),
  )
  const set = (company: number, settings: AgentSettings | null): Promise<void> =>
    sayOf(context, { company, isRevocation: true }, async ({ transaction, actor, company }) =>
      formatSettings(company, await setAgents(transaction, actor, settings)),
    )

  add('enable', 'Switch agents on, or set which of their changes need a person.', '--company {company} --records-max 5')
    .option(
      '--records-max <count>',
      'the most records that an agent may change without a person',
      readWhole('--records-max', 0, agentRecordsMax),
      agentDefaults.records_max,
    )
    .option('--always', 'every change needs a person')
    .action(({ company, recordsMax, always = false }: Options) => set(company, { records_max: recordsMax, always }))

  add('disable', 'Switch agents off. Previews stay; none can be applied.').action(({ company }: Options) =>
    set(company, null),
  )

  add('show', 'Show whether agents are on, and which of their changes need a person.').action((given: Options) =>
    sayOf(context, given, async ({ transaction, company }) =>
      formatSettings(company, await showAgents(transaction, company.id)),
    ),
  )
}

function formatSettings(company: { id: number; name: string }, settings: AgentSettings | null): CommandResult {
  const json = { company_id: company.id, agents: settings && { ...settings } }
  if (!settings) return { json, text: `Agents are off for ${formatCompanyName(company)}.` }
  const need = settings.always
    ? 'every change'
    : `a delete, an undo, a step that closes a record, and a change of more than ${formatCount(settings.records_max, 'record')}`
  return { json, text: `Agents are on for ${formatCompanyName(company)}. They need a person for ${need}.` }
}
