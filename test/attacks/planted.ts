import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mutate } from '../../tools/asvs-mutants.ts'
import { copyOfCheckout } from '../stage/checkout.ts'
import type { Finding } from './report.ts'
import type { Part } from './run.ts'

/** Weak points that are planted in a copy of the checkout, each of which one rule has to find. */

/** `line`, which stands in `file` once, becomes `instead`. */
export type PlantedBug = { bug: string; rule: string; part: Part; file: string; line: string; instead: string }

export const planted: readonly PlantedBug[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'planted.json'), 'utf8'),
)

/** Makes a copy of the checkout for as long as the work lasts. */
export async function inCopy<T>(work: (checkout: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-attacks-'))
  try {
    return await work(await copyOfCheckout(join(folder, 'checkout')))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The short form, as a program of the copy reports it. */
export type CopiedReport = {
  calls: number
  comparisons: number
  findings: Finding[]
  operations: { [id: string]: number }
}

/** Runs the short form in a copy. Throws if it does not come to its end. */
export function attackCopy(checkout: string, part: Part): CopiedReport {
  const words = [join(checkout, 'test/attacks/main.ts'), '--short', '--json', '--only', part]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: checkout, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (!stdout.startsWith('{')) throw new Error(`The attacks did not end: ${stderr.slice(-2000)}`)
  return JSON.parse(stdout)
}

/** Returns what each rule found in a copy with the bug. The copy is whole again afterwards. */
export function findPlanted(checkout: string, { file, line, instead, part }: PlantedBug): { [rule: string]: number } {
  const path = join(checkout, file)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, mutate(whole, { row: '', test: '', file, line, instead }))
  try {
    const byRule = Map.groupBy(attackCopy(checkout, part).findings, ({ rule }) => rule)
    return Object.fromEntries([...byRule].map(([rule, all]) => [rule, all.length]))
  } finally {
    writeFileSync(path, whole)
  }
}

/** Returns what was found, or why the attacks did not end, which counts as nothing. */
function findOrExplain(checkout: string, one: PlantedBug): { [rule: string]: number | string } {
  try {
    return findPlanted(checkout, one)
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

/** Plants the bugs of these numbers, or all, one after the other, prints what was found, and returns whether each was found by its rule. */
export const findAllPlanted = (numbers: readonly string[]): Promise<boolean> =>
  inCopy((checkout) => {
    const chosen = planted.filter((_, place) => numbers.length === 0 || numbers.includes(String(place + 1)))
    const found = chosen.map((one) => {
      const since = performance.now()
      const byRule = findOrExplain(checkout, one)
      const isFound = one.rule in byRule
      const seconds = Math.round((performance.now() - since) / 1000)
      console.log(`${isFound ? 'found ' : 'MISSED'} ${one.bug}: ${JSON.stringify(byRule)}, ${seconds} s`)
      return isFound
    })
    console.log(`${found.filter(Boolean).length} of ${found.length} planted bugs were found.`)
    return found.every(Boolean)
  })
