import type { Command } from 'commander'
import { type DemoStory, seedDemo } from '../demo/seed.ts'
import { findDatabase } from '../open-world.ts'
import { migrate, pendingMigrations } from '../store/migrate.ts'
import { configOf, inWorld, named } from './in-world.ts'
import { progressOf } from './progress.ts'
import type { Answer, Desk } from './terminal.ts'

/** migrate and demo. */
export function addDatabase(program: Command, desk: Desk): void {
  program
    .command('migrate')
    .description('Brings the database up to date, and makes the bundled one when it is missing. "serve" does the same.')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://plumbline@db.example.com/erp plumbline migrate')
    .action(async () => desk.say(migrated(await applyMigrations(desk))))

  program
    .command('demo')
    .description('Adds the demo companies, Harbor Masonry and Hilltop Roofing, where they are not there already.')
    .addHelpText(
      'after',
      '\nTheir passwords are known to everybody: do not add them where others can sign in.\n\nExample:\n  plumbline demo',
    )
    .action(async () =>
      desk.say(demoAnswer(await inWorld(configOf(desk), progressOf(desk), ({ world }) => seedDemo(world)))),
    )
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

const demoAnswer = ({ isNew, companies }: DemoStory): Answer => ({
  json: {
    added: isNew,
    companies: companies.map(({ id, name, owner, token }) => ({
      company_id: id,
      ...{ name, account_id: owner.id, email: owner.email, password: owner.password, token },
    })),
  },
  text: [
    isNew ? 'The demo companies were added.' : 'The demo companies are there.',
    ...companies.flatMap((company) => [
      '',
      named(company),
      `  Sign-in  ${company.owner.email}, password ${company.owner.password}`,
      `  Token    ${company.token ?? 'none that can be shown; see "plumbline token --help"'}`,
    ]),
  ].join('\n'),
})
