import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/**
 * `npm run slowest` runs the suite, or the files named after `--`, and lists the twenty slowest tests and files.
 * `--report=FILE` reads an existing report instead. Exits with 1 if the time exceeds the budget.
 */
const root = join(import.meta.dirname, '..')
/** The budget of the whole suite on two processors. */
const budgetSeconds = 12 * 60
const shown = 20

type Report = {
  startTime: number
  testResults: {
    name: string
    startTime: number
    endTime: number
    assertionResults: { fullName: string; duration?: number | null }[]
  }[]
}
export type SlowestRow = { seconds: number; file: string; title: string }

const isCommand = process.argv[1] === import.meta.filename
if (isCommand) {
  const words = process.argv.slice(2)
  const given = words.find((word) => word.startsWith('--report='))?.slice('--report='.length)
  const report = given === undefined ? runSuite(words) : (JSON.parse(readFileSync(given, 'utf8')) as Report)
  const { tests, files, seconds } = findSlowest(report)
  const lines = [
    `The slowest tests:`,
    ...tests.map(line),
    '',
    `The slowest files:`,
    ...files.map(line),
    '',
    `${seconds.toFixed(0)} s of ${budgetSeconds} s in all.`,
  ]
  console.log(lines.join('\n'))
  if (seconds > budgetSeconds) process.exitCode = 1
}

function line({ seconds, file, title }: SlowestRow): string {
  return `${seconds.toFixed(1).padStart(7)} s  ${file}${title && `  ${title}`}`
}

/** Finds the slowest tests and files, and the time from the first start to the last end. */
export function findSlowest({ testResults, startTime }: Report): {
  tests: SlowestRow[]
  files: SlowestRow[]
  seconds: number
} {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, duration }) => ({
      seconds: (duration ?? 0) / 1000,
      file: relative(root, name),
      title: fullName,
    })),
  )
  const files = testResults.map(({ name, startTime: from, endTime: to }) => ({
    seconds: (to - from) / 1000,
    file: relative(root, name),
    title: '',
  }))
  const last = Math.max(startTime, ...testResults.map(({ endTime }) => endTime))
  return { tests: takeFirst(tests), files: takeFirst(files), seconds: (last - startTime) / 1000 }
}

function takeFirst(rows: readonly SlowestRow[]): SlowestRow[] {
  return rows.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown)
}

function runSuite(words: readonly string[]): Report {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-slowest-'))
  try {
    const file = join(folder, 'report.json')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    spawnSync(process.execPath, [vitest, 'run', ...words, '--reporter=json', `--outputFile=${file}`], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return JSON.parse(readFileSync(file, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
