import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exportCompany } from '../backup/export-company.ts'
import { importCompany } from '../backup/import-company.ts'
import { findDatabase } from '../open-world.ts'
import { showCompany } from '../service/company.ts'
import { pendingMigrations } from '../store/migrate.ts'
import { systemClock } from '../world.ts'
import { needDatabase } from './data-folder.ts'
import { configOf, inWorld, named } from './in-world.ts'
import { Mistake } from './mistake.ts'
import { progressOf } from './progress.ts'
import type { Answer, Desk } from './terminal.ts'
import { readId } from './words.ts'

/** export and import-company. */
export function addMove(program: Command, desk: Desk): void {
  program
    .command('export')
    .description('Writes everything of a company but secrets into one archive, a file of JSON lines for each table.')
    .requiredOption('--company <id>', 'the company', readId('--company'))
    .option('--to <file>', 'the archive (default: company-<id>.tar)')
    .addHelpText('after', '\nExample:\n  plumbline export --company 3 --to stone-and-sons.tar')
    .action(async ({ company, to }: { company: number; to?: string }) =>
      desk.say(await exported(desk, company, to ?? `company-${company}.tar`)),
    )

  program
    .command('import-company')
    .description('Makes a company of such an archive, under a new id; its records keep theirs.')
    .argument('<file>', 'the archive')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… plumbline import-company stone-and-sons.tar')
    .action(async (file: string) => desk.say(await imported(desk, file)))
}

async function exported(desk: Desk, companyId: number, to: string): Promise<Answer> {
  const config = configOf(desk)
  await needDatabase(config)
  const progress = progressOf(desk)
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

const imported = (desk: Desk, file: string): Promise<Answer> =>
  inWorld(configOf(desk), progressOf(desk), async ({ world, connection }) => {
    const progress = progressOf(desk)
    try {
      const { companyId, manifest } = await importCompany(connection, file, progress.tell)
      const rows = manifest.files.reduce((sum, each) => sum + each.rows, 0)
      const company = await world.database.transaction((transaction) => showCompany(transaction, companyId))
      return {
        json: { company_id: companyId, rows, exported_at: manifest.exported_at },
        text: `Imported ${named(company)}: ${rows} rows, as of ${manifest.exported_at}. Nobody can sign in or call yet: give "plumbline account set" with a password, and "plumbline token issue".`,
      }
    } finally {
      progress.end()
    }
  })
