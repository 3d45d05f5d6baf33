import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyOfCheckout } from '../test/stage/checkout.ts'

/**
 * `npm run asvs-mutants` breaks the claims of twenty passing rows of docs/security/asvs.md, each by one line. The test
 * that the row names has to fail. Numbers or ids of rows after `--` (`-- 3 V7.4.1`) run some of them. It works in a copy
 * of the checkout, so these sources stay unchanged.
 */

/** The rows are chosen whose ids, hashed with this seed, come first. Another seed chooses others. */
const seed = 'asvs-1'
const mutantsMost = 20

/** A change of one line. `line` is a whole line of `file` without outer blanks, unique there; `instead` replaces it. */
export type Mutant = { row: string; test: string; file: string; line: string; instead: string }

export const mutants: readonly Mutant[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'asvs-mutants.json'), 'utf8'),
)

/** Returns the ids chosen from the passing ones. An added or removed row changes at most one of them. */
export const drawRows = (ids: readonly string[]): string[] =>
  ids
    .map((id) => ({ id, place: createHash('sha256').update(`${seed} ${id}`).digest('hex') }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, mutantsMost)
    .map(({ id }) => id)

/** Returns the text of a file with the line replaced. Throws if the line is not there exactly once. */
export function mutate(text: string, { line, instead, file }: Mutant): string {
  const lines = text.split('\n')
  const places = lines.flatMap((one, index) => (one.trim() === line ? [index] : []))
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(
      `${file} has ${places.length} times the line "${line}"; a mutant replaces a line that is there once`,
    )
  return lines.with(place, instead).join('\n')
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<void> {
  const chosen = mutants.filter(
    ({ row }, index) => words.length === 0 || words.includes(row) || words.includes(String(index + 1)),
  )
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-mutants-'))
  const clear = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      clear()
      process.exit(130)
    })
  try {
    const copy = await copyOfCheckout(join(folder, 'checkout'))
    const since = performance.now()
    // A test that fails without the mutant proves nothing.
    const sound = runTests(copy, chosen)
    const unsound = chosen.filter(({ row }) => sound.get(row) !== 'passed')
    for (const { row, test } of unsound)
      console.log(`${row}: ${test} ${sound.get(row) ?? 'has no such test'}, without any change.`)
    const noticed = chosen.filter((mutant) => !unsound.includes(mutant) && isNoticed(copy, mutant))
    const seconds = Math.round((performance.now() - since) / 1000)
    console.log(`${noticed.length} of ${chosen.length} mutants were noticed, in ${seconds} s.`)
    if (noticed.length < chosen.length) process.exitCode = 1
  } finally {
    clear()
  }
}

function isNoticed(copy: string, mutant: Mutant): boolean {
  const path = join(copy, mutant.file)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, mutate(whole, mutant))
  const since = performance.now()
  try {
    const became = runTests(copy, [mutant]).get(mutant.row)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    console.log(`${became === 'failed' ? 'noticed' : 'MISSED '} ${mutant.row} by ${mutant.test} (${seconds} s)`)
    if (became !== 'failed') console.log(`  ${mutant.file}: ${mutant.instead.trim()}`)
    return became === 'failed'
  } finally {
    writeFileSync(path, whole)
  }
}

type MutantOutcome = 'passed' | 'failed'
type Report = { testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[] }

/**
 * Returns the outcomes of the tests with the ids of these rows, in the files that the mutants name. A file that cannot
 * be loaded has no tests, so a mutant that breaks a whole program counts for nothing.
 */
function runTests(copy: string, rows: readonly Mutant[]): Map<string, MutantOutcome> {
  const report = join(copy, '../report.json')
  rmSync(report, { force: true })
  const ids = rows.map(({ row }) => row.replaceAll('.', '\\.'))
  const { stderr } = spawnSync(
    process.execPath,
    [
      join(copy, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...new Set(rows.map(({ test }) => test)),
      ...['--testNamePattern', `\\[(?:${ids.join('|')})\\]`],
      ...['--reporter', 'json', '--outputFile', report],
    ],
    { cwd: copy, encoding: 'utf8' },
  )
  const { testResults } = readReport(report, stderr)
  const found = new Map<string, MutantOutcome>()
  for (const { row, test } of rows)
    for (const { name, assertionResults } of testResults) {
      if (!name.endsWith(`/${test}`)) continue
      for (const { fullName, status } of assertionResults) {
        if (!fullName.includes(`[${row}]`) || found.get(row) === 'failed') continue
        if (status === 'passed' || status === 'failed') found.set(row, status)
      }
    }
  return found
}

function readReport(path: string, said: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch (cause) {
    throw new Error(`Vitest has written no report: ${said.slice(-2000)}`, { cause })
  }
}
