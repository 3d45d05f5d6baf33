import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { dataFolder, openPostgres, type Postgres } from './postgres.ts'
import { BenchProblem } from './problem.ts'
import { createProgress, type Progress } from './progress.ts'

export type Surroundings = { postgres: Postgres; progress: Progress; onLeave(close: () => Promise<void>): void }

/** Runs PostgreSQL while `work` runs. Closes everything in the end, after a signal too. */
export async function inSurroundings(work: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const progress = createProgress(process.stderr)
  const postgres = await openPostgres(dataFolder, progress.say)
  const closing = [() => postgres.close()]
  await mustBeAlone(postgres)
  const leave = async (): Promise<void> => {
    for (let close = closing.pop(); close; close = closing.pop()) await close().catch(() => {})
  }
  const stopped = (): void => void leave().then(() => process.exit(130))
  process.once('SIGINT', stopped).once('SIGTERM', stopped)
  try {
    await work({ postgres, progress, onLeave: (close) => void closing.push(close) })
  } finally {
    progress.end()
    await leave()
    process.off('SIGINT', stopped).off('SIGTERM', stopped)
  }
}

/** Throws if another run is active, which would disturb the figures. The lock ends with the connection. */
async function mustBeAlone({ sql, close }: Postgres): Promise<void> {
  const [row] = await sql<{ alone: boolean }>(`select pg_try_advisory_lock(hashtext('bench')) as alone`)
  if (row?.alone) return
  await close()
  throw new BenchProblem('Another run of the bench is under way: wait for its end.')
}

/** Returns the facts of the machine. */
export async function machine({ sql }: Postgres): Promise<{ [fact: string]: string | number }> {
  const [row] = await sql<{ version: string }>(`select current_setting('server_version') as version`)
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres: row?.version ?? 'unknown',
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

/**
 * Writes the figures of a run as JSON, to `output` or to data/figures, and returns a sentence for the terminal. The picture goes
 * beside them, or to docs/speed. The pages name the SHA-256 of the figures, and a release packs the files.
 */
export async function writeFigures(
  { output }: { output: string | null },
  { name, figures, picture }: { name: string; figures: object; picture?: string },
): Promise<string> {
  const file = output === null ? join(figuresFolder, `${name}.json`) : resolve(output)
  const text = `${JSON.stringify(figures, null, 2)}\n`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  const written = `Written: ${relative(process.cwd(), file)}, SHA-256 ${hash('sha256', text)}`
  if (picture === undefined) return `${written}\n`
  const svgFile = output === null ? join(speedFolder, `${name}.svg`) : file.replace(/(\.json)?$/, '.svg')
  await writeFile(svgFile, picture)
  return `${written}, and ${relative(process.cwd(), svgFile)}\n`
}

const speedFolder = join(import.meta.dirname, '../docs/speed')
/** The raw figures of runs, which Git does not keep. */
const figuresFolder = join(import.meta.dirname, '../data/figures')
