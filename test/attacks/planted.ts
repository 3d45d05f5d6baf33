import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

/** Runs the short form in a copy, of all records or of some. Throws if it does not come to its end. */
export async function attackCopy(checkout: string, part: Part, records?: string): Promise<CopiedReport> {
  const about = records === undefined ? [] : ['--records', records]
  const words = [join(checkout, 'test/attacks/main.ts'), '--short', '--json', '--only', part, ...about]
  // With findings it exits with 1, and its report is there all the same.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: checkout,
    maxBuffer: 2 ** 28,
  }).catch((error: { stdout: string; stderr: string }) => error)
  if (!stdout.startsWith('{')) throw new Error(`The attacks did not end: ${stderr.slice(-2000)}`)
  return JSON.parse(stdout)
}

/** Returns what each rule found in a copy with the bug. The copy is whole again afterwards. */
export async function findPlanted(
  checkout: string,
  { file, line, instead, part }: PlantedBug,
  records?: string,
): Promise<{ [rule: string]: number }> {
  const path = join(checkout, file)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, mutate(whole, { row: '', test: '', file, line, instead }))
  try {
    const byRule = Map.groupBy((await attackCopy(checkout, part, records)).findings, ({ rule }) => rule)
    return Object.fromEntries([...byRule].map(([rule, all]) => [rule, all.length]))
  } finally {
    writeFileSync(path, whole)
  }
}

/** Returns what was found, or why the attacks did not end, which counts as nothing. */
async function findOrExplain(checkout: string, one: PlantedBug): Promise<{ [rule: string]: number | string }> {
  try {
    return await findPlanted(checkout, one)
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

/** Plants the bugs of these numbers, or all, one after the other, prints what was found, and returns whether each was found by its rule. */
export const findAllPlanted = (numbers: readonly string[]): Promise<boolean> =>
  inCopy(async (checkout) => {
    const chosen = planted.filter((_, place) => numbers.length === 0 || numbers.includes(String(place + 1)))
    let found = 0
    for (const one of chosen) {
      const since = performance.now()
      const byRule = await findOrExplain(checkout, one)
      const isFound = one.rule in byRule
      if (isFound) found++
      const seconds = Math.round((performance.now() - since) / 1000)
      console.log(`${isFound ? 'found ' : 'MISSED'} ${one.bug}: ${JSON.stringify(byRule)}, ${seconds} s`)
    }
    console.log(`${found} of ${chosen.length} planted bugs were found.`)
    return found === chosen.length
  })
