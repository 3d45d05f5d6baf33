import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exportForms } from '#derive/export.ts'
import { exportDelimiters } from '#derive/import/file.ts'
import type { Definition } from '#registry/definition.ts'
import { type LanguageCode, languages } from '#registry/words/index.ts'
import { systemClock } from '../app.ts'
import { type CompanyManifest, exportCompany } from '../backup/export-company.ts'
import { importCompany } from '../backup/import-company.ts'
import { operator } from '../records/actor.ts'
import { auditFacts } from '../service/audit-log.ts'
import { showCompany } from '../service/company.ts'
import { type Connection, openDatabase } from '../store/database.ts'
import { pendingMigrations } from '../store/migrate.ts'
import { type ExportOptions, exportList } from './export-records.ts'
import { Mistake } from './mistake.ts'
import { withProgress } from './progress.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { configOf, formatCompanyName, needDatabase, withApp, withDatabase } from './with-app.ts'
import { addingTo, oneOf, readDay, readRecords } from './words.ts'

const codes = Object.keys(languages) as LanguageCode[]

export function addMove(program: Command, context: CommandContext): void {
  addingTo(program)(
    'export',
    'Write all data of a company except secrets into one archive, with a file of JSON lines for each table, or all records of a kind into a CSV file.',
    [
      '--company {company} --to stone-and-sons.tar',
      'clients --company {company} --form people --language de --out kunden.csv',
      'time_entries --company {company} --week 2026-03-02 --out wages.csv',
    ],
    '\nA file of records is imported again by their ids: "plumbline import" changes what was changed in it.',
  )
    .argument('[records]', 'the kind of records (default: the archive)', readRecords)
    .option('--to, --out <file>', 'the file (default: company-<id>.tar, or <records>.csv)')
    .option(
      '--form <form>',
      'people (labels, titles, amounts with decimals), books (invoices and payments for the bookkeeper) or programs (default)',
      oneOf('--form', exportForms),
    )
    .option('--language <code>', `the language of people: ${codes.join(' or ')}`, oneOf('--language', codes))
    .option('--delimiter <sign>', 'the separator of cells: , or ;', oneOf('--delimiter', exportDelimiters))
    .option(
      '--week <day>',
      'the week with this day instead: a row for each worker, with days and their sum',
      readDay('--week'),
    )
    .action(async (definition: Definition | undefined, options: ExportOptions) => {
      if (definition) return exportList(context, definition, options)
      const { company, out = `company-${company}.tar`, ...others } = options
      const [other] = Object.keys(others)
      if (other !== undefined)
        throw new Mistake(`--${other} is for records: name their kind, such as "export clients".`)
      context.say(await exportCompanyTo(context, company, out))
    })

  program
    .command('import-company')
    .description('Create a company from such an archive, under a new id. Its records keep their ids.')
    .argument('<file>', 'the archive')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… plumbline import-company stone-and-sons.tar')
    .action(async (file: string) => context.say(await importCompanyFrom(context, file)))
}

async function exportCompanyTo(context: CommandContext, companyId: number, to: string): Promise<CommandResult> {
  await needDatabase(configOf(context))
  return withDatabase(context, async ({ connection }, progress) => {
    if ((await pendingMigrations(connection)).length > 0)
      throw new Mistake('The database is of an earlier version: run "plumbline migrate" first.', 'failed')
    await noteExport(context, connection, companyId)
    const manifest = await exportCompany({ connection, companyId, to, now: systemClock.now, progress })
    const rows = rowsOf(manifest)
    return {
      json: { archive: resolve(to), rows, files: manifest.files, exported_at: manifest.exported_at },
      text: `Exported company ${companyId} to ${resolve(to)}: ${rows} rows of ${manifest.files.length} tables, as of ${manifest.exported_at}. Passwords and tokens are not in it.`,
    }
  })
}

/** Notes the export in the audit log before the archive is written, so that the archive has this row. */
async function noteExport(context: CommandContext, connection: Connection, companyId: number): Promise<void> {
  const database = openDatabase(connection, configOf(context), () => undefined)
  try {
    await database.transaction(async (transaction) => {
      await showCompany(transaction, companyId)
      const noted = { records: 'exports', action: 'company_exported', facts: { resource: 'companies' } } as const
      await auditFacts(transaction, operator(companyId), noted)
    })
  } finally {
    await database.close()
  }
}

const importCompanyFrom = (context: CommandContext, file: string): Promise<CommandResult> =>
  withApp(context, async ({ app, connection }) => {
    const { companyId, manifest } = await withProgress(context, ({ tell }) => importCompany(connection, file, tell))
    const rows = rowsOf(manifest)
    const company = await app.database.transaction(async (transaction) => {
      const facts = { resource: 'companies', rows, exported_at: manifest.exported_at }
      await auditFacts(transaction, operator(companyId), { records: 'imports', action: 'company_imported', facts })
      return showCompany(transaction, companyId)
    })
    return {
      json: { company_id: companyId, rows, exported_at: manifest.exported_at },
      text: `Imported ${formatCompanyName(company)}: ${rows} rows, as of ${manifest.exported_at}. Nobody can sign in or call yet: run "plumbline account set" with a password, and "plumbline token issue".`,
    }
  })

const rowsOf = ({ files }: CompanyManifest): number => files.reduce((sum, { rows }) => sum + rows, 0)
