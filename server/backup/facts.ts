import type { Config } from '../config.ts'
import { readFailures } from './failures.ts'
import { backupsIn } from './kept.ts'

/** For /metrics: read anew each time, so that every process says the same. */
export async function backupFacts({ backupTo, dataFolder }: Config) {
  const [newest] = backupTo === null ? [] : await backupsIn(backupTo).catch(() => [])
  return { lastAt: newest?.at ?? null, failing: Object.keys(await readFailures(dataFolder)) }
}
