import type { Command } from 'commander'
import type { Connection } from '../store/database.ts'
import { migrate, migrateBack, pendingMigrations, UnknownMigration } from '../store/migrate.ts'
import { Mistake } from './mistake.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { withDatabase } from './with-app.ts'

export function addDatabase(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('Apply all migrations. Create the bundled database if it is missing. "serve" does the same.')
    .option('--back-to <migration>', 'revert all later migrations, for an older version; stop the service first')
    .addHelpText('after', examples)
    .action(async ({ backTo }: { backTo?: string }) =>
      context.say(
        backTo === undefined
          ? formatMigrated(await withDatabase(context, ({ connection }, tell) => applyMigrations(connection, tell)))
          : formatReverted(await withDatabase(context, ({ connection }) => undoMigrations(connection, backTo))),
      ),
    )
}

const examples = `
Examples:
  DATABASE_URL=postgres://plumbline@db.example.com/erp plumbline migrate
  plumbline migrate --back-to 0004-sessions`

async function applyMigrations(connection: Connection, tell: (sentence: string) => void): Promise<string[]> {
  const pending = await pendingMigrations(connection)
  tell('Bringing the database up to date …')
  await migrate(connection, tell)
  return pending
}

async function undoMigrations(connection: Connection, name: string): Promise<string[]> {
  try {
    return await migrateBack(connection, name)
  } catch (error) {
    if (!(error instanceof UnknownMigration)) throw error
    throw new Mistake(`The database has no migration "${name}": name one of ${error.known.join(', ')}.`, 'not_found')
  }
}

const formatMigrated = (applied: readonly string[]): CommandResult => ({
  json: { applied },
  text:
    applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}; the database is up to date.`,
})

const formatReverted = (names: readonly string[]): CommandResult => ({
  json: { undone: names },
  text:
    names.length === 0 ? 'There is nothing after it.' : `Undone: ${names.join(', ')}. The next start does them again.`,
})
