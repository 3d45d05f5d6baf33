import type { Command } from 'commander'
import { counted } from '#derive/words.ts'
import { readWriteId } from '../service/actor.ts'
import { showCompany } from '../service/company.ts'
import { undo } from '../service/undo.ts'
import { operatorCaller, runWrite } from '../writes/run-write.ts'
import { Mistake } from './mistake.ts'
import { startShares } from './progress.ts'
import type { CommandContext } from './terminal.ts'
import { named, withExisting } from './with-app.ts'
import { readId } from './words.ts'

/** undo. */
export function addUndo(program: Command, context: CommandContext): void {
  program
    .command('undo')
    .description(
      'Takes back what a write did: an import, a batch or a single one, as POST /v1/writes/{write_id}/undo does.',
    )
    .argument('<write>', 'the id of the write', readWrite)
    .requiredOption('--company <id>', 'the company', readId('--company'))
    .addHelpText(
      'after',
      '\nWhere a record has changed since, it stops there and says so; what it has taken back by then stays so.',
    )
    .addHelpText('after', '\nExample:\n  plumbline undo 019b1c2e-7f3a-7c11-8a5e-0c9d5b1f2a44 --company 1')
    .action((writeId: string, { company }: { company: number }) => takeBack(context, company, writeId))
}

/** Part by part: each is a transaction, and the next call goes on. */
const takeBack = (context: CommandContext, companyId: number, writeId: string): Promise<void> =>
  withExisting(context, async ({ app: { database } }) => {
    const tellShare = startShares(context, 'Taking back', (total) => `${total} records`)
    const company = await database.transaction((transaction) => showCompany(transaction, companyId))
    let records = 0
    for (let remaining = 1; remaining > 0; ) {
      const caller = operatorCaller(companyId)
      const { answer } = await runWrite(database, { caller, work: undo(companyId, writeId) })
      records += answer.records
      remaining = answer.remaining
      tellShare(records, records + remaining)
    }
    const text = `Took back ${counted(records, 'record')} of ${named(company)}.`
    context.say({ json: { write_id: writeId, records }, text })
  })

function readWrite(word: string): string {
  const writeId = readWriteId(word)
  if (writeId !== undefined) return writeId
  throw new Mistake(`The id of a write is like 019b1c2e-7f3a-7c11-8a5e-0c9d5b1f2a44, and not ${JSON.stringify(word)}.`)
}
