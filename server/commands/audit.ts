import type { Command } from 'commander'
import type { AuditEntry } from '#derive/console/responses.ts'
import { inLine } from '#derive/format-printable.ts'
import { everyAudit } from '../service/audit.ts'
import { Mistake } from './mistake.ts'
import type { CommandContext } from './terminal.ts'
import { withCompany } from './with-app.ts'
import { addingTo, readEnd, readMoment } from './words.ts'

type AuditOptions = { company: number; from?: Date; to?: Date }

export function addAudit(program: Command, context: CommandContext): void {
  addingTo(program)(
    'audit',
    'List the sign-ins, changes of settings, exports and imports of a company, newest first, one per line.',
    ['--company {company}', '--company {company} --from 2026-03-01 --to 2026-03-31 --json'],
    '\nWith --json each line is an entry as Settings, Audit exports it.',
  )
    .option('--from <moment>', 'the first day or moment, in UTC', readMoment('--from'))
    .option('--to <moment>', 'the last day or moment, included', readEnd('--to'))
    .action((options: AuditOptions) => listAudit(context, options))
}

const listAudit = (context: CommandContext, { company: companyId, from, to }: AuditOptions): Promise<void> => {
  if (from && to && from >= to) throw new Mistake('--from must not be after --to.')
  return withCompany(context, companyId, async ({ database }) => {
    const filter = { from: from?.toISOString(), before: to?.toISOString() }
    for await (const entries of everyAudit(database, companyId, filter))
      for (const entry of entries) context.say({ json: entry, text: formatEntry(entry) })
  })
}

const formatEntry = ({ at, action, records, record_id, title, actor, channel, peer, changes }: AuditEntry): string =>
  [
    at,
    action,
    `${records} ${record_id}${title === null ? '' : ` (${inLine(title)})`}`,
    `by ${actor === null ? channel : `${inLine(actor.name)} (account ${actor.id})`}`,
    ...(peer === null ? [] : [`from ${inLine(peer)}`]),
    ...Object.keys(changes ?? {}),
  ].join('  ')
