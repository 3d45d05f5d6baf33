import { Command, type CommanderError } from 'commander'
import { withoutStop } from '#derive/format-printable.ts'
import { version } from '../config/config.ts'
import { addAccount } from './account.ts'
import { addAgents } from './agents.ts'
import { addAudit } from './audit.ts'
import { addBackup } from './backup.ts'
import { addChanges } from './changes.ts'
import { addCompany } from './company.ts'
import { addCompletion } from './completion.ts'
import { addDatabase } from './database.ts'
import { addDemo } from './demo.ts'
import { addDoctor } from './doctor.ts'
import { exitCodesHelp } from './exit-codes.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'
import { addListen } from './listen.ts'
import { Mistake } from './mistake.ts'
import { addMove } from './move.ts'
import { addPerson } from './person.ts'
import { addRecord } from './record.ts'
import { addRestore } from './restore.ts'
import type { ServeOptions } from './serve.ts'
import { addConfig } from './settings.ts'
import type { CommandContext } from './terminal.ts'
import { addToken } from './token.ts'
import { addUndo } from './undo.ts'
import { addUsage } from './usage.ts'
import { addWebhooks } from './webhooks.ts'

/** Creates the program with all commands. Throws mistakes of usage as `Mistake`. */
export function createProgram(context: CommandContext): Command {
  const { stdout } = context.terminal
  const program = new Command('plumbline')
    .description('Plumbline: a contractor’s ERP with an API. This command runs the server and manages its companies.')
    .version(version, '--version', 'print the version')
    .option('--json', 'print one JSON object; print an error as one on the standard error')
    .option('--quiet', 'print only the new id, token or secret, and no progress')
    .helpOption('-h, --help', 'explain the command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined })
    .addHelpText('after', examples)

  program
    .command('serve')
    .description('Start the database, apply migrations, and serve the API until Ctrl-C.')
    .option('--processes <count>', 'number of processes that share the port, or auto for one per processor (PROCESSES)')
    .option('--as-built', 'serve the last build of the web interface, even if its sources have changed since')
    .addHelpText(
      'after',
      '\nAfter SIGTERM or Ctrl-C it answers the accepted requests and stops. A second signal stops it at once.',
    )
    .addHelpText('after', '\nExamples:\n  plumbline serve\n  PORT=8080 HOST=0.0.0.0 plumbline serve --processes auto')
    // No other command loads the server.
    .action(async (given: ServeOptions) => (await import('./serve.ts')).serveUntilStopped(context, given))
  addDatabase(program, context)
  addDemo(program, context)
  addCompany(program, context)
  addAccount(program, context)
  addToken(program, context)
  addAgents(program, context)
  addWebhooks(program, context)
  addKey(program, context)
  addRecord(program, context)
  addPerson(program, context)
  addImport(program, context)
  addUndo(program, context)
  addChanges(program, context)
  addListen(program, context)
  addBackup(program, context)
  addRestore(program, context)
  addMove(program, context)
  addUsage(program, context)
  addAudit(program, context)
  addDoctor(program, context)
  addConfig(program, context)
  addCompletion(program, context)
  throwMistakes(program)
  return program
}

const examples = `
Settings come from the environment and from the file .env in the working directory; "plumbline config" shows them.
All commands work beside a running server and without one.

${exitCodesHelp}

Examples:
  plumbline serve
  plumbline company show 1
  plumbline token show --company 1 --json`

/** Makes commander throw. It would print its messages and exit; the mistakes here name the command. */
function throwMistakes(command: Command): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new Mistake(usageSentence(error, command))
  })
  command.commands.forEach(throwMistakes)
}

function usageSentence({ code, message }: CommanderError, command: Command): string {
  const help = `see "${pathOf(command)} --help"`
  if (code === 'commander.help') {
    const names = command.commands.map((inner) => inner.name()).filter((name) => name !== 'help')
    return `${pathOf(command)} needs one of ${names.join(', ')}: ${help}.`
  }
  // commander checks for missing options first, but often one is only misspelt.
  const strange = command.args.find((word) => word.startsWith('--'))
  if (code === 'commander.missingMandatoryOptionValue' && strange) return `Unknown option '${strange}': ${help}.`
  const plain = message.replace(/^error: /, '').replace('\n(Did ', ' (did ')
  const counted = plain.replace(/\. Expected (\d{1,3}) arguments? but got (\d{1,3}): /, ' (expected $1, got $2: ')
  const said = counted === plain ? plain : `${withoutStop(counted)})`
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}: ${help}.`
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
