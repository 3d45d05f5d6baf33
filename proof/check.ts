import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { type History, readHistory } from './history.ts'
import { rules } from './rules/index.ts'

/**
 * `node proof/check.ts <history.jsonl>`: says of each promise whether the history keeps it, with the first places where it
 * does not. It shares no code with the service. Exit code 1: a promise is broken; 2: there is no history to read.
 */

export type Violation = { rule: string; places: string[] }

/** Places that are shown of one rule. */
const shownMax = 5

/** Megabytes of memory for a history of so many. */
const heapOf = (megabytes: number): number => Math.ceil(250 + megabytes)

/** Returns the rules that the history breaks, each with where. */
export function check(history: History): Violation[] {
  return rules.flatMap(({ name, find }) => {
    const places = [...find(history)]
    return places.length > 0 ? [{ rule: name, places }] : []
  })
}

export const countCalls = ({ companies }: History): number =>
  companies.reduce((sum, { calls }) => sum + calls.length, 0)

export const countChanges = ({ companies }: History): number =>
  companies.reduce((sum, { feed }) => sum + feed.length, 0)

/** Says of each broken promise how often it is broken, and where first. */
export const formatViolations = (violations: readonly Violation[]): string[] =>
  violations.map(({ rule, places }) => `BROKEN ${rule}: ${places.length} places, ${places[0]}`)

/** Says of each promise whether it is kept, with the first places where it is not. */
export function sayResult(violations: readonly Violation[]): void {
  const broken = new Map(violations.map(({ rule, places }) => [rule, places]))
  for (const { name, promise } of rules) {
    const places = broken.get(name) ?? []
    console.log(`${places.length === 0 ? 'kept  ' : 'BROKEN'} ${name}: ${promise}`)
    for (const place of places.slice(0, shownMax)) console.log(`         ${place}`)
    if (places.length > shownMax) console.log(`         and ${places.length - shownMax} more`)
  }
}

if (process.argv[1] === import.meta.filename) await main(process.argv[2])

async function main(path: string | undefined): Promise<void> {
  if (path === undefined || !existsSync(path)) {
    console.error('Name the file of a recorded history: node proof/check.ts history.jsonl')
    process.exitCode = 2
    return
  }
  if (!process.execArgv.some((word) => word.startsWith('--max-old-space-size'))) {
    // Without a bound Node.js takes twice the memory before it looks for what is free.
    const most = heapOf(statSync(path).size / 2 ** 20)
    const words = [`--max-old-space-size=${most}`, import.meta.filename, path]
    process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1
    return
  }
  const since = performance.now()
  const history = await readHistory(path)
  const calls = countCalls(history)
  if (calls === 0) {
    console.error(`${path} has no call, so nothing was checked.`)
    process.exitCode = 2
    return
  }
  const violations = check(history)
  sayResult(violations)
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(`${calls} calls checked in ${seconds} s, with ${megabytes} MB; ${violations.length} promises broken.`)
  if (violations.length > 0) process.exitCode = 1
}
