import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findDatabase, systemClock } from '../app.ts'
import { exportCompany } from '../backup/export-company.ts'
import { importCompany } from '../backup/import-company.ts'
import { showCompany } from '../service/company.ts'
import { pendingMigrations } from '../store/migrate.ts'
import { needDatabase } from './data-folder.ts'
import { Mistake } from './mistake.ts'
import { progressOf } from './progress.ts'
import type { Answer, CommandContext } from './terminal.ts'
import { configOf, named, withApp } from './with-app.ts'
import { readId } from './words.ts'

/** export and import-company. */
export function addMove(program: Command, context: CommandContext): void {
  program
    .command('export')
    .description('Writes everything of a company but secrets into one archive, a file of JSON lines for each table.')
    .requiredOption('--company <id>', 'the company', readId('--company'))
    .option('--to <file>', 'the archive (default: company-<id>.tar)')
    .addHelpText('after', '\nExample:\n  plumbline export --company 3 --to stone-and-sons.tar')
    .action(async ({ company, to }: { company: number; to?: string }) =>
      context.say(await exported(context, company, to ?? `company-${company}.tar`)),
    )

  program
    .command('import-company')
    .description('Makes a company of such an archive, under a new id; its records keep theirs.')
    .argument('<file>', 'the archive')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… plumbline import-company stone-and-sons.tar')
    .action(async (file: string) => context.say(await imported(context, file)))
}

async function exported(context: CommandContext, companyId: number, to: string): Promise<Answer> {
  const config = configOf(context)
  await needDatabase(config)
  const progress = progressOf(context)
  const { connection, leave } = await findDatabase(config, progress.tell)
  try {
    if ((await pendingMigrations(connection)).length > 0)
      throw new Mistake('The database is of an earlier version: run "plumbline migrate" first.')
    const task = { connection, companyId, to, now: systemClock.now, progress: progress.tell }
    const manifest = await exportCompany(task)
    const rows = manifest.files.reduce((sum, file) => sum + file.rows, 0)
    return {
      json: { archive: resolve(to), rows, files: manifest.files, exported_at: manifest.exported_at },
      text: `Exported company ${companyId} to ${resolve(to)}: ${rows} rows of ${manifest.files.length} tables, as of ${manifest.exported_at}. Passwords and tokens are not in it.`,
    }
  } finally {
    progress.end()
    await leave()
  }
}

const imported = (context: CommandContext, file: string): Promise<Answer> =>
  withApp(configOf(context), progressOf(context), async ({ app, connection }) => {
    const progress = progressOf(context)
    try {
      const { companyId, manifest } = await importCompany(connection, file, progress.tell)
      const rows = manifest.files.reduce((sum, each) => sum + each.rows, 0)
      const company = await app.database.transaction((transaction) => showCompany(transaction, companyId))
      return {
        json: { company_id: companyId, rows, exported_at: manifest.exported_at },
        text: `Imported ${named(company)}: ${rows} rows, as of ${manifest.exported_at}. Nobody can sign in or call yet: give "plumbline account set" with a password, and "plumbline token issue".`,
      }
    } finally {
      progress.end()
    }
  })
