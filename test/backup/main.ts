import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createProgress } from '../../bench/progress.ts'
import { readFigures, writeFigures } from './figures.ts'
import { tryAll } from './trials.ts'

/** Backups, moments and damaged copies, many of each, on a real PostgreSQL of its own. */
const help = `Tries backups on a database that is written to all the while, and compares what comes back.

  npm run backups                     100 backups and 20 moments
  npm run backups -- --rounds N --moments N
  npm run backups -- --seconds N      stops after so long; the same command goes on where it stopped
  npm run backups -- --afresh         forgets what earlier runs counted

  --output FILE    where the figures (FILE.json) and the page (FILE.md) go; docs/reliability/backup otherwise
  --help           this text
`

const usual = join(import.meta.dirname, '../../docs/reliability/backup')
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

try {
  const { values } = parseArgs({
    options: { rounds: text, moments: text, seconds: text, output: text, afresh: flag, help: { ...flag, short: 'h' } },
  })
  if (values.help) process.stdout.write(help)
  else {
    const output = values.output?.replace(/\.(md|json)$/, '') ?? usual
    const progress = createProgress(process.stderr)
    const figures = await tryAll({
      rounds: count('rounds', values.rounds, 100),
      moments: count('moments', values.moments, 20),
      seconds: count('seconds', values.seconds, 86_400),
      before: values.afresh ? undefined : await readFigures(output),
      progress,
      keep: (now) => writeFigures(output, now),
    })
    progress.end()
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
    process.exitCode = figures.failures.length === 0 ? 0 : 1
  }
} catch (error) {
  if (!/^ERR_PARSE_ARGS|^given$/.test(String((error as NodeJS.ErrnoException).code))) throw error
  process.stderr.write(`${(error as Error).message} See --help.\n`)
  process.exitCode = 1
}

function count(name: string, word: string | undefined, usual: number): number {
  if (word === undefined) return usual
  if (/^\d{1,6}$/.test(word)) return Number(word)
  throw Object.assign(new Error(`--${name} must be a whole number, and not ${JSON.stringify(word)}.`), {
    code: 'given',
  })
}
