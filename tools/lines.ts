import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * `npm run lines -- [COMMIT]` prints the lines of production code and the files under 40 lines, by folder, of the
 * checkout's last commit, and beside them those of another one.
 */
const root = join(import.meta.dirname, '..')
const folders = ['registry', 'derive', 'import', 'sql', 'server', 'console', 'migrations']
const shortLines = 40

type Count = { lines: number; files: number; short: number }

const isCommand = process.argv[1] === import.meta.filename
if (isCommand) {
  const commits = [process.argv[2], 'HEAD'].filter((commit) => commit !== undefined)
  const counts = commits.map(countAt)
  const rows = [...folders, 'all'].map((folder) => [
    folder,
    ...counts.flatMap((count) => {
      const { lines, files, short } = count.get(folder) as Count
      return [lines, files, short].map(String)
    }),
  ])
  const head = ['', ...commits.flatMap((commit) => [`lines at ${commit}`, 'files', `under ${shortLines}`])]
  for (const row of [head, ...rows])
    console.log(row.map((cell, column) => cell.padStart(column === 0 ? 0 : (head[column] ?? '').length)).join('  '))
}

/** Returns the counts of each folder, and their sum under the name "all". */
function countAt(commit: string): Map<string, Count> {
  const counts = new Map([...folders, 'all'].map((folder) => [folder, { lines: 0, files: 0, short: 0 }]))
  for (const row of git(commit).split('\n')) {
    const [, path = '', number] = row.split(':')
    if (!isProduction(path)) continue
    const lines = Number(number)
    for (const folder of [path.slice(0, path.indexOf('/')), 'all']) {
      const count = counts.get(folder) as Count
      count.lines += lines
      count.files++
      if (lines < shortLines && !path.startsWith('migrations/')) count.short++
    }
  }
  return counts
}

/** Returns whether a file is production code: TypeScript without tests, and the SQL of migrations. */
function isProduction(path: string): boolean {
  return path.startsWith('migrations/') ? path.endsWith('.sql') : /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)
}

/** Runs git for the line counts of a commit. Returns "COMMIT:PATH:LINES" of each file. */
function git(commit: string): string {
  const words = ['grep', '--count', '', commit, '--', ...folders]
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
}
