import { Command, type CommanderError } from 'commander'
import { withoutStop } from '#derive/format-printable.ts'
import { version } from '../config/config.ts'
import { exitCodesHelp } from './exit-codes.ts'
import { Mistake } from './mistake.ts'
import type { ServeOptions } from './serve.ts'
import type { CommandContext } from './terminal.ts'

type AddCommands = (program: Command, context: CommandContext) => void

/** The files of all commands but `serve`, in the order of help. Only the named one is loaded: loading is slow. */
const files: readonly { names: readonly string[]; load(): Promise<AddCommands> }[] = [
  { names: ['migrate'], load: async () => (await import('./database.ts')).addDatabase },
  { names: ['demo'], load: async () => (await import('./demo.ts')).addDemo },
  { names: ['company'], load: async () => (await import('./company.ts')).addCompany },
  { names: ['account'], load: async () => (await import('./account.ts')).addAccount },
  { names: ['token'], load: async () => (await import('./token.ts')).addToken },
  { names: ['agents'], load: async () => (await import('./agents.ts')).addAgents },
  { names: ['webhooks'], load: async () => (await import('./webhooks.ts')).addWebhooks },
  { names: ['key'], load: async () => (await import('./key.ts')).addKey },
  { names: ['record'], load: async () => (await import('./record.ts')).addRecord },
  { names: ['person'], load: async () => (await import('./person.ts')).addPerson },
  { names: ['import'], load: async () => (await import('./import.ts')).addImport },
  { names: ['undo'], load: async () => (await import('./undo.ts')).addUndo },
  { names: ['changes'], load: async () => (await import('./changes.ts')).addChanges },
  { names: ['listen'], load: async () => (await import('./listen.ts')).addListen },
  { names: ['backup'], load: async () => (await import('./backup.ts')).addBackup },
  { names: ['restore'], load: async () => (await import('./restore.ts')).addRestore },
  { names: ['export', 'import-company'], load: async () => (await import('./move.ts')).addMove },
  { names: ['usage'], load: async () => (await import('./usage.ts')).addUsage },
  { names: ['audit'], load: async () => (await import('./audit.ts')).addAudit },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).addDoctor },
  { names: ['config'], load: async () => (await import('./settings.ts')).addConfig },
  // It prints the words of all commands, so all are loaded with it.
  { names: [], load: async () => (await import('./completion.ts')).addCompletion },
]

/** Returns the file of the command that the words name. Returns all files if they name none, except for --version. */
function filesOf(words: readonly string[]): typeof files {
  const command = words.find((word) => !word.startsWith('-'))
  const named = files.filter(({ names }) => command !== undefined && names.includes(command))
  return named.length > 0 || command === 'serve' || words.includes('--version') ? named : files
}

/** Creates the program with the commands that its words need. `print` gets help and version. */
export async function createProgram(context: CommandContext, print: (text: string) => void): Promise<Command> {
  const program = new Command('plumbline')
    .description('Plumbline: a contractor’s ERP with an API. This command runs the server and manages its companies.')
    .version(version, '--version', 'print the version')
    .option('--json', 'print one JSON object; print an error as one on the standard error')
    .option('--quiet', 'print only the new id, token or secret, and no progress')
    .helpOption('-h, --help', 'explain the command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: print, writeErr: () => undefined })
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
  for (const { load } of filesOf(context.terminal.words)) (await load())(program, context)
  throwMistakes(program)
  return program
}

const examples = `
Settings come from the environment and from the file .env in the working directory; "plumbline config" shows them.
All commands work beside a running server and without one.

${exitCodesHelp}

Examples:
  plumbline serve
  plumbline company show {company}
  plumbline token show --company {company} --json`

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
