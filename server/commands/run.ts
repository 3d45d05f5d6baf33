import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { CommanderError } from 'commander'
import { formatPrintable, printableJson } from '#derive/format-printable.ts'
import { type Exit, exitCodes, exitOf } from './exit-codes.ts'
import { Mistake, reportError } from './mistake.ts'
import { createProgram } from './program.ts'
import type { CommandResult, Environment, Terminal } from './terminal.ts'

/** Runs one command to its end. Returns its exit code. Never throws. */
export async function run(terminal: Terminal): Promise<number> {
  const { words, stdout, stderr } = terminal
  const wantsJson = words.includes('--json')
  const isQuiet = words.includes('--quiet')
  let environment = terminal.environment
  let exitCode: number = exitCodes.done.code
  const say = ({ json, text, value }: CommandResult): void => {
    if (wantsJson) stdout.write(`${printableJson(JSON.stringify(json))}\n`)
    else if (!isQuiet) stdout.write(`${formatPrintable(text)}\n`)
    else if (value !== undefined) stdout.write(`${formatPrintable(String(value))}\n`)
  }
  const end = (exit: Exit): void => {
    exitCode = exitCodes[exit].code
  }
  try {
    environment = readEnvironment(terminal)
    if (wantsJson && isQuiet) throw new Mistake('Give --json or --quiet, not both.')
    const context = { terminal, environment, wantsJson, isQuiet, say, end }
    let help = ''
    const program = await createProgram(context, (text) => {
      help += text
    })
    if (words.length === 0) program.outputHelp()
    else await program.parseAsync([...words], { from: 'user' }).catch(throwUnlessPrinted)
    stdout.write(idWord.test(help) ? await (await import('./example-ids.ts')).fillExamples(help, environment) : help)
  } catch (error) {
    const { message, code, errors } = reportError(error)
    exitCode = exitCodes[exitOf(code)].code
    const json = JSON.stringify({ error: message, code, exit_code: exitCode, errors })
    stderr.write(`${wantsJson ? printableJson(json) : formatPrintable(message)}\n`)
    if (wantsTrace(environment)) stderr.write(`${formatPrintable(traceOf(error))}\n`)
  }
  return exitCode
}

/** commander throws an error after it has printed the help or the version. */
function throwUnlessPrinted(error: unknown): void {
  if (!(error instanceof CommanderError && error.exitCode === 0)) throw error
}

/** Matches a word like {company} in an example. `example-ids.ts` is loaded for help that has one. */
const idWord = /\{[a-z]{1,20}\}/

const wantsTrace = ({ LOG_LEVEL }: Environment): boolean => LOG_LEVEL?.trim() === 'debug'

const traceOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? `${error.stack}\nbecause of ${traceOf(error.cause)}`
    : String((error as Error | undefined)?.stack ?? error)

/** Returns the environment with the settings of `.env` in the working directory. The environment takes precedence. */
export const readEnvironment = ({ environment, folder }: Pick<Terminal, 'environment' | 'folder'>): Environment => ({
  ...readEnvFile(folder),
  ...environment,
})

function readEnvFile(folder: string): Environment {
  const file = join(folder, '.env')
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw new Mistake(
      `${file} cannot be read (${code ?? message}): make it readable for this user, or remove it.`,
      'config_invalid',
    )
  }
}
