import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname, join, relative } from 'node:path'
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

/** Writes the figures as JSON and their picture beside them. Returns the path. */
export async function keep(file: string, figures: object, picture: string): Promise<string> {
  const svgFile = file.replace(/(\.json)?$/, '.svg')
  const written = await write(file, figures)
  await writeFile(svgFile, picture)
  return `Written: ${written} and ${relative(process.cwd(), svgFile)}`
}

/** Writes the figures alone. Returns the path. */
export async function write(file: string, figures: object): Promise<string> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`)
  return relative(process.cwd(), file)
}

export const speedFolder = join(import.meta.dirname, '../docs/speed')
