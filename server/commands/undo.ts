import type { Command } from 'commander'
import { formatCount, formatName } from '#derive/words.ts'
import { type Actor, readWriteId } from '../records/actor.ts'
import type { PrefetchedRow } from '../records/look-up.ts'
import { createPreview } from '../records/preview.ts'
import { undo } from '../records/undo.ts'
import type { Transaction } from '../store/database.ts'
import { operatorCaller } from '../writes/caller.ts'
import { runWrite } from '../writes/run-write.ts'
import { Mistake } from './mistake.ts'
import { startShares } from './progress.ts'
import type { CommandContext } from './terminal.ts'
import { formatCompanyName, withCompany } from './with-app.ts'
import { addingTo } from './words.ts'

export function addUndo(program: Command, context: CommandContext): void {
  addingTo(program)(
    'undo',
    'Undo a write: an import, a batch or a single write, as POST /v1/writes/{write_id}/undo does.',
    ['{write} --company {company} --dry-run', '<id> --company {company}'],
    '\nIf a record has changed since, the command stops there and names it. What is undone by then stays undone.',
  )
    .argument('<write>', 'the id of the write', readWrite)
    .option('--dry-run', 'show what would change; write nothing')
    .action((writeId: string, { company, dryRun }: { company: number; dryRun?: true }) =>
      dryRun ? preview(context, company, writeId) : takeBack(context, company, writeId),
    )
}

/** Prints the dry-run of POST /v1/writes/{write_id}/undo, which shows the first transaction of the undo. */
const preview = (context: CommandContext, companyId: number, writeId: string): Promise<void> =>
  withCompany(context, companyId, async ({ database, secret }, company) => {
    const { execute, ...needs } = undo(companyId, writeId)
    const call = { method: 'POST', path: `/v1/writes/${writeId}/undo`, body: null, conditions: null }
    const work = {
      ...needs,
      async execute(transaction: Transaction, actor: Actor, prefetched: PrefetchedRow) {
        const { records, remaining, effect } = await execute(transaction, actor, prefetched)
        const plan = await createPreview(transaction, actor, secret, { call, effects: [effect] })
        return { records, remaining, plan }
      },
    }
    const { response } = await runWrite(
      database,
      operatorCaller(companyId),
      { admit: (actor: Actor) => actor, work },
      { dryRun: true },
    )
    const { records, remaining, plan } = response
    const data = { write_id: writeId, undone: false, dry_run: true, records, remaining }
    context.say({
      json: { data, plan },
      text: [
        `Would reverse ${formatCount(records, 'record')} of ${formatCompanyName(company)}. Nothing was written.`,
        ...plan.changes.map(({ records, id, action }) => `  ${formatName(records)} ${id ?? ''}: ${action}`),
        ...(plan.total > plan.changes.length ? [`  and ${plan.total - plan.changes.length} more`] : []),
        ...(remaining > 0 ? [`${formatCount(remaining, 'record')} would follow in further transactions.`] : []),
      ].join('\n'),
    })
  })

/** Undoes a write in parts of one transaction each. If it stops, the next call goes on. */
const takeBack = (context: CommandContext, companyId: number, writeId: string): Promise<void> =>
  withCompany(context, companyId, async ({ database }, company) => {
    const tellShare = startShares(context, 'Undoing', (total) => `${total} records`)
    let records = 0
    for (let remaining = 1; remaining > 0; ) {
      const write = { admit: (actor: Actor) => actor, work: undo(companyId, writeId) }
      const { response } = await runWrite(database, operatorCaller(companyId), write)
      records += response.records
      remaining = response.remaining
      tellShare(records, records + remaining)
    }
    const text = `Undid ${formatCount(records, 'record')} of ${formatCompanyName(company)}.`
    context.say({ json: { write_id: writeId, records }, text })
  })

function readWrite(word: string): string {
  const writeId = readWriteId(word)
  if (writeId !== undefined) return writeId
  throw new Mistake(`The id of a write is like 019b1c2e-7f3a-7c11-8a5e-0c9d5b1f2a44, and not ${JSON.stringify(word)}.`)
}
