import type { Command } from 'commander'
import { findDatabase } from '../app.ts'
import { migrate, pendingMigrations } from '../store/migrate.ts'
import { configOf } from './in-world.ts'
import { progressOf } from './progress.ts'
import type { Answer, Desk } from './terminal.ts'

/** migrate. */
export function addDatabase(program: Command, desk: Desk): void {
  program
    .command('migrate')
    .description('Brings the database up to date, and makes the bundled one when it is missing. "serve" does the same.')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://plumbline@db.example.com/erp plumbline migrate')
    .action(async () => desk.say(migrated(await applyMigrations(desk))))
}

async function applyMigrations(desk: Desk): Promise<string[]> {
  const progress = progressOf(desk)
  const { connection, leave } = await findDatabase(configOf(desk), progress.tell)
  try {
    const pending = await pendingMigrations(connection)
    progress.tell('Bringing the database up to date …')
    await migrate(connection, progress.tell)
    return pending
  } finally {
    progress.end()
    await leave()
  }
}

const migrated = (applied: readonly string[]): Answer => ({
  json: { applied },
  text:
    applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}; the database is up to date.`,
})
