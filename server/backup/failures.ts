import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { replaceFile } from '../embedded/folders.ts'
import { type Limit, waitWithin } from '../wait/wait.ts'
import { backupsIn } from './stored-backups.ts'

const noteLimit: Limit = { ms: 10_000, of: 'the note of a failure' }

/** The last failure of each kind of work that has not succeeded since. */
export type Failures = { [work in Work]?: Failure }

type Failure = { at: string; says: string }

export type Work = 'backup' | 'archive'

type Outcomes = { [work in Work]?: Failure | null }

export type FailureNotes = ReturnType<typeof openFailureNotes>

/**
 * Opens the notes of failures in a file of the data folder, which every process and command reads. A note stays in
 * memory while it cannot be written, so that a full data folder hides no failure.
 */
export function openFailureNotes(dataFolder: string) {
  const file = join(dataFolder, 'backup-failures.json')
  let unwritten: Outcomes = {}
  return {
    read: async () => withOutcomes(await readFailures(file), unwritten),
    /** Writes a failure, or removes it: null means success. Never rejects. */
    async note(work: Work, failure: { at: Date; says: string } | null): Promise<void> {
      const outcome = failure && { at: failure.at.toISOString(), says: failure.says }
      const outcomes = { ...unwritten, [work]: outcome }
      try {
        const written = await waitWithin(noteLimit, readFailures(file))
        const noted = withOutcomes(written, outcomes)
        if (JSON.stringify(noted) !== JSON.stringify(written)) {
          await waitWithin(noteLimit, mkdir(dataFolder, { recursive: true }))
          await waitWithin(noteLimit, replaceFile(file, `${JSON.stringify(noted)}\n`))
        }
        unwritten = {}
      } catch {
        unwritten = outcomes
      }
    },
  }
}

async function readFailures(file: string): Promise<Failures> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  try {
    return JSON.parse(text) as Failures
  } catch {
    return {}
  }
}

const withOutcomes = (failures: Failures, outcomes: Outcomes): Failures =>
  Object.fromEntries(Object.entries({ ...failures, ...outcomes }).filter(([, failure]) => failure !== null))

/** Reads the facts for /metrics from the disk each time, so that every process reports the same. */
export async function backupFacts({ backupTo }: Pick<Config, 'backupTo'>, notes: FailureNotes) {
  const [newest] = backupTo === null ? [] : await backupsIn(backupTo).catch(() => [])
  return { lastAt: newest?.at ?? null, failing: Object.keys(await notes.read()) }
}
