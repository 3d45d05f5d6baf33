import { type DestinationStream, type Logger, pino } from 'pino'
import { inLine, printableJson } from '#derive/format-printable.ts'
import type { Config } from './config/config.ts'
import type { RequestIdentities } from './http/app.ts'
import { withoutTokens } from './service/token-text.ts'

/** Members that are removed from log lines, at any place in an error: a log must have no secrets. */
const hidden = ['authorization', 'cookie', 'token', 'password', 'secret', 'connectionString'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])

type LogOptions = {
  /** The standard error if absent, because the standard output is for the results of commands. */
  destination?: DestinationStream
  isTerminal?: boolean
  identities?: RequestIdentities
}

export function createLog({ logLevel, logFormat }: Config, options: LogOptions = {}): Logger {
  const { destination = pino.destination(2), isTerminal = process.stderr.isTTY, identities } = options
  const isText = logFormat === 'text' || (logFormat === 'auto' && isTerminal)
  return pino(
    {
      level: logLevel,
      redact: { paths: hidden, censor: '[removed]' },
      serializers: { error: pino.stdSerializers.errWithCause },
      // The ids of the caller are found by the request id, which each line of a request has.
      mixin: (line) => ({ ...identities?.get((line as { request_id?: string }).request_id ?? '') }),
      hooks: {
        streamWrite: (line) =>
          isText ? formatLine(JSON.parse(withoutTokens(line))) : printableJson(withoutTokens(line)),
      },
    },
    destination,
  )
}

type Line = { level: number; time: number; msg?: string; [member: string]: unknown }

/**
 * Formats a line for people: time of day, level, sentence, members, and below it the stacks of an error and its causes.
 * Foreign text cannot begin a line: its line breaks become blanks, and the lines of a stack are indented.
 */
function formatLine({ level, time, msg = '', pid: _, hostname: __, error, ...members }: Line): string {
  const at = new Date(time).toTimeString().slice(0, 8)
  const pairs = formatPairs(isObject(error) ? members : { ...members, error })
  const head = `${at} ${labelOf(level)} ${inLine(msg)}${pairs && `  ${pairs}`}`
  return [head, ...(isObject(error) ? formatError(error) : []), ''].join('\n')
}

function formatError({ stack, type, message, cause, ...members }: { [member: string]: unknown }): string[] {
  const lines = typeof stack === 'string' ? stack.split('\n') : [`${type}: ${message}`]
  const pairs = formatPairs(members)
  const below = isObject(cause) ? ['Caused by:', ...formatError(cause)] : []
  return [...lines, ...(pairs ? [pairs] : []), ...below].map((line) => `    ${inLine(line)}`)
}

const formatPairs = (members: { [member: string]: unknown }): string =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${inLine(name)}=${formatValue(value)}`)
    .join(' ')

function formatValue(value: unknown): string {
  const text = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
  return inLine(text)
}

const labelOf = (level: number): string => (pino.levels.labels[level] ?? String(level)).toUpperCase()

const isObject = (value: unknown): value is { [member: string]: unknown } => typeof value === 'object' && value !== null
