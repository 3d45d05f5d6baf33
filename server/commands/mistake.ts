import { FileProblem } from '#derive/import/file.ts'
import { asSentence, withoutStop } from '#derive/printable.ts'
import { Refusal, refusals, told, toldMax } from '#registry/refusals.ts'
import { BackupProblem } from '../backup/manifest.ts'
import { ConfigProblem } from '../config/config.ts'
import { EmbeddedProblem } from '../embedded/open.ts'
import { NotErasable } from '../service/persons.ts'
import { Fault } from '../store/faults.ts'
import { MigrationBlocked } from '../store/migration-retry.ts'
import { SharedSession } from '../store/session-check.ts'
import { databaseTrouble } from './database-trouble.ts'

/** A command was given wrongly, or where it cannot be done. The message says what is wrong and how to put it right. */
export class Mistake extends Error {
  override name = 'Mistake'
}

/** Errors whose message is a sentence for the operator. */
const sentences = [
  Mistake,
  NotErasable,
  FileProblem,
  ConfigProblem,
  EmbeddedProblem,
  BackupProblem,
  MigrationBlocked,
  SharedSession,
]

/** What went wrong, as a sentence for people; of settings, a line for each. */
export function mistakeIn(error: unknown): string {
  const cause = error instanceof Fault ? error.cause : error
  if (sentences.some((sort) => cause instanceof sort)) return (cause as Error).message
  if (error instanceof Refusal) return refusalSentence(error)
  if (error instanceof Fault && error.code === 'outcome_unknown') {
    return 'The connection to the database was lost in the last moment: look whether the change is there before you repeat it.'
  }
  return databaseTrouble(cause) ?? fileTrouble(cause) ?? unexpected(cause)
}

/** Of fields, all that is wrong with them: a terminal has no list beside the sentence. */
function refusalSentence({ code, particulars: { detail, errors = [] } }: Refusal): string {
  const { title, advice } = refusals[code]
  const wrong = errors.length > toldMax ? errors.map(told).join('; ') : undefined
  return asSentence(wrong ?? detail ?? `${title}. ${advice}`)
}

function fileTrouble(error: unknown): string | undefined {
  const { path, code } = (error ?? {}) as NodeJS.ErrnoException
  return path === undefined
    ? undefined
    : `${path} cannot be used (${code}): make it accessible for this user, or remove it.`
}

function unexpected(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : String(error)
  return `This should not happen: ${withoutStop(message)}; give the command again with LOG_LEVEL=debug and report what it shows.`
}
