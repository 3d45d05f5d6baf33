import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { unfinished } from '../embedded/leftovers.ts'
import { backupsIn } from './kept.ts'

/** What failed last and has not succeeded since: kept in the data folder, where every process and command sees it. */
export type Failures = { [work in Work]?: { at: string; says: string } }

export type Work = 'backup' | 'archive'

const fileIn = (dataFolder: string): string => join(dataFolder, 'backup-failures.json')

export async function readFailures(dataFolder: string): Promise<Failures> {
  const text = await readFile(fileIn(dataFolder), 'utf8').catch(() => '{}')
  try {
    return JSON.parse(text) as Failures
  } catch {
    return {}
  }
}

/** Null: it succeeded. */
export async function noteOutcome(dataFolder: string, work: Work, failure: { at: Date; says: string } | null) {
  const { [work]: before, ...others } = await readFailures(dataFolder)
  if (failure === null && before === undefined) return
  const noted: Failures = failure ? { ...others, [work]: { at: failure.at.toISOString(), says: failure.says } } : others
  const fresh = unfinished(dataFolder)
  try {
    await mkdir(dataFolder, { recursive: true })
    await writeFile(fresh, `${JSON.stringify(noted)}\n`, { flag: 'wx' })
    await rename(fresh, fileIn(dataFolder))
  } finally {
    await rm(fresh, { force: true })
  }
}

/** For /metrics: read anew each time, so that every process says the same. */
export async function backupFacts({ backupTo, dataFolder }: Config) {
  const [newest] = backupTo === null ? [] : await backupsIn(backupTo).catch(() => [])
  return { lastAt: newest?.at ?? null, failing: Object.keys(await readFailures(dataFolder)) }
}
