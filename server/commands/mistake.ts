import { asSentence, withoutStop } from '#derive/format-printable.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import type { Problem } from '#registry/definition.ts'
import { formatProblem, Refusal, refusals, toldMax } from '#registry/refusals.ts'
import { BackupProblem } from '../backup/manifest.ts'
import { ConfigProblem } from '../config/config.ts'
import { EmbeddedProblem } from '../embedded/open.ts'
import { formatFileTrouble, formatNoSuchFile } from '../embedded/problems.ts'
import { NotErasable } from '../service/persons.ts'
import { Fault } from '../store/faults.ts'
import { MigrationBlocked } from '../store/migration-retry.ts'
import { SharedSession } from '../store/session-check.ts'
import { databaseTrouble } from './database-trouble.ts'
import type { ErrorCode } from './exit-codes.ts'

/** Thrown when a command cannot be carried out. The message has the reason and the remedy. */
export class Mistake extends Error {
  override name = 'Mistake'
  readonly code: ErrorCode
  constructor(message: string, code: ErrorCode = 'usage', options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Classes of errors whose message is for the operator, with their codes. */
const sentences: readonly [sort: abstract new (...given: never[]) => Error, code: ErrorCode][] = [
  [NotErasable, 'failed'],
  [FileProblem, 'file_not_readable'],
  [ConfigProblem, 'config_invalid'],
  [EmbeddedProblem, 'failed'],
  [BackupProblem, 'failed'],
  [MigrationBlocked, 'unavailable'],
  [SharedSession, 'unavailable'],
]

/** An error for the operator; `errors` names the fields that are wrong. */
export type ErrorReport = { message: string; code: ErrorCode; errors?: readonly Problem[] }

/** Returns the message for people and the code for programs. The message of invalid settings has a line for each. */
export function reportError(error: unknown): ErrorReport {
  const cause = error instanceof Fault ? error.cause : error
  if (cause instanceof Mistake) return { message: cause.message, code: cause.code }
  for (const [sort, code] of sentences) if (cause instanceof sort) return { message: cause.message, code }
  if (error instanceof Refusal) {
    const { code, particulars } = error
    return { message: refusalSentence(error), code, ...(particulars.errors ? { errors: particulars.errors } : {}) }
  }
  if (error instanceof Fault && error.code === 'outcome_unknown') {
    const message =
      'The connection to the database was lost in the last moment: look whether the change is there before you repeat it.'
    return { message, code: 'outcome_unknown' }
  }
  const trouble = databaseTrouble(cause)
  if (trouble !== undefined) return { message: trouble, code: 'unavailable' }
  return reportFileError(cause) ?? { message: formatUnexpected(cause), code: 'internal_error' }
}

export const mistakeIn = (error: unknown): string => reportError(error).message

/** Formats a refusal with all its invalid fields, because a terminal shows no list beside the message. */
function refusalSentence({ code, particulars: { detail, errors = [] } }: Refusal): string {
  const { title, advice } = refusals[code]
  const wrong = errors.length > toldMax ? errors.map(formatProblem).join('; ') : undefined
  return asSentence(wrong ?? detail ?? `${title}. ${advice}`)
}

function reportFileError(error: unknown): ErrorReport | undefined {
  const { path, code } = (error ?? {}) as NodeJS.ErrnoException
  if (path === undefined) return undefined
  if (code === 'ENOENT') return { message: formatNoSuchFile(path), code: 'file_not_found' }
  const message = formatFileTrouble(code, path, 'name another file') ?? `${path} cannot be used (${code}).`
  return { message, code: 'file_not_readable' }
}

function formatUnexpected(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : String(error)
  return `This should not happen: ${withoutStop(message)}; give the command again with LOG_LEVEL=debug and report what it shows.`
}
