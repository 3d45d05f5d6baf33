import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Violation } from '../check.ts'
import { failMessages } from '../messages.ts'
import { run } from '../run.ts'

/** `line`, which stands in `file` once, becomes `instead`. */
type Edit = { file: string; line: string; instead: string }

/** A bug that is planted in a copy of the service. */
export type PlantedBug = Edit & {
  bug: string
  /** The rule that has to find it. */
  rule: string
  /** What holds the promise as well, and has to go with it. */
  also?: readonly Edit[]
  /** Found under faults alone, or by failing messages one by one alone. */
  by?: 'faults' | 'messages'
}

export const planted: readonly PlantedBug[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'planted.json'), 'utf8'),
)

const root = join(import.meta.dirname, '../..')
/** What is no source. */
const left = new Set(['.git', '.env', 'node_modules', 'data', 'test', 'docs'])

/** Makes a copy of the checkout, which shares its packages. */
export function copyCheckout(folder: string): void {
  mkdirSync(folder)
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** Writes the bug into a checkout, and returns what makes it whole again. Throws where a line does not stand there once. */
export function plant({ file, line, instead, also = [] }: PlantedBug, checkout: string): () => void {
  const whole = new Map<string, string>()
  for (const edit of [{ file, line, instead }, ...also]) {
    const path = join(checkout, edit.file)
    const text = readFileSync(path, 'utf8')
    if (!whole.has(path)) whole.set(path, text)
    writeFileSync(path, edited(text, edit))
  }
  return () => {
    for (const [path, text] of whole) writeFileSync(path, text)
  }
}

function edited(text: string, { file, line, instead }: Edit): string {
  const lines = text.split('\n')
  const places = lines.flatMap((one, index) => (one.trim() === line ? [index] : []))
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(`${file} has ${places.length} times the line "${line}"; a bug replaces a line that is there once`)
  return lines.with(place, instead).join('\n')
}

/** What became of a run with a bug; of the service as it is, bug and rule are `none`. */
export type FoundRun = {
  bug: string
  rule: string
  /** Until it was found. */
  calls: number
  seconds: number
  /** The places that each rule found. */
  found: { [rule: string]: number }
  /** Why the run did not come to its end. */
  failure?: string
}

/** Whether the bug was found by its rule; of the service as it is, whether nothing was found. */
export const hasFound = ({ rule, found, failure }: FoundRun): boolean =>
  failure === undefined && (rule === 'none' ? Object.keys(found).length === 0 : found[rule] !== undefined)

type Trying = { checkout: string; file: string; seed: number; rounds?: readonly number[] }

/** Seconds of load after each of which the rules look: all of them together stay below three minutes. */
const roundsOf = { load: [5, 10, 20, 40, 60], clean: [10, 20, 30] }
const faultEveryMs = 4000

/** Runs a copy of the service with a bug planted in it, until its rule has found it. The copy is whole again afterwards. */
export async function runPlanted(
  one: PlantedBug | { bug: 'none'; rule: 'none'; by: 'faults' },
  { checkout, file, seed, rounds = one.rule === 'none' ? roundsOf.clean : roundsOf.load }: Trying,
): Promise<FoundRun> {
  const { bug, rule, by } = one
  const since = performance.now()
  let makeWhole = (): void => {}
  const ended = (calls: number, violations: readonly Violation[]): FoundRun => ({
    ...{ bug, rule, calls, seconds: Math.round((performance.now() - since) / 1000) },
    found: Object.fromEntries(violations.map(({ rule: name, places }) => [name, places.length])),
  })
  try {
    if ('file' in one) makeWhole = plant(one, checkout)
    if (by === 'messages') {
      const asked = { file, checkout, operations: ['create'], keyed: [false], faults: ['not answered'] } as const
      const { trials, violations } = await failMessages(asked)
      return ended(trials.length, violations)
    }
    const isEnough = (violations: readonly Violation[]): boolean => violations.some(({ rule: name }) => name === rule)
    const faults = by === 'faults' ? { faultEveryMs } : {}
    const { calls, violations } = await run({ rounds, isEnough, seed, file, checkout, ...faults })
    return ended(calls, violations)
  } catch (error) {
    return { ...ended(0, []), failure: error instanceof Error ? error.message : String(error) }
  } finally {
    makeWhole()
  }
}
