import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { buildConsole } from '#server/commands/build-console.ts'
import { migrate } from '#server/store/migrate.ts'
import { type Postgres, urlOf } from '../../bench/postgres.ts'
import { inSurroundings, machine } from '../../bench/surroundings.ts'
import { attacks } from './attacks/index.ts'
import { layGround } from './ground.ts'
import { type Options, secondsEach, seriesSecondsEach } from './options.ts'
import { type About, type JudgedAttack, pageOf, textOf } from './report.ts'
import { attackInSeries, attempt, longForm, type Series, seriesForm, type Trial } from './trial.ts'
import { longVerdictOf, seriesVerdictOf } from './verdict.ts'

const database = 'hostile'

/** The long form: every attack for its share of the time, with times, and a page of what came of it. */
export const attackAll = (options: Options): Promise<void> =>
  inSurroundings(async ({ postgres, progress, onLeave }) => {
    const about = { at: new Date().toISOString(), machine: await machine(postgres), secondsEach: secondsEach(options) }
    const before = options.isSeriesOnly && options.output !== null ? await readFigures(options.output) : null
    // Beforehand: the first process would do it, and it takes more memory than all that is served.
    await buildConsole(progress.say)
    const drop = (): Promise<unknown> => postgres.sql(`drop database if exists ${database} with (force)`)
    await drop()
    await postgres.sql(`create database ${database}`)
    onLeave(async () => void (await drop()))
    const connection = postgres.connection(database)
    await migrate(connection, progress.say)
    const ground = await layGround(connection)

    const judged: JudgedAttack[] = []
    for (const [index, attack] of options.isSeriesOnly ? [] : options.attacks.entries()) {
      progress.bar(attack.name, index, options.attacks.length)
      const trial = await attempt(attack, ground, urlOf(connection), longForm(about.secondsEach))
      const wrong = longVerdictOf(attack, trial)
      judged.push({ attack, trial, wrong })
      progress.end()
      process.stderr.write(wrong.length === 0 ? `✓ ${attack.name}\n` : `✗ ${attack.name}: ${wrong.join(' ')}\n`)
    }
    progress.end()
    const series = await attackInSeries(options.attacks, ground, {
      databaseUrl: urlOf(connection),
      connection,
      dataFolder: await clusterFolder(postgres),
      form: seriesForm(seriesSecondsEach),
      onAttacked: ({ name }, index) => progress.bar(`series: ${name}`, index, options.attacks.length),
    })
    progress.end()
    const wrongOfSeries = seriesVerdictOf(series)
    process.stdout.write(`\n${textOf(judged, series, wrongOfSeries)}`)
    if (wrongOfSeries.length > 0 || judged.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
    if (options.output === null) return
    await mkdir(dirname(options.output), { recursive: true })
    const trials = judged.map(({ trial, wrong }) => ({ ...trial, wrong }))
    const figures = { ...(before ?? { ...about, trials }), series }
    await writeFile(`${options.output}.md`, pageOf(figures, judgedOf(figures), series))
    await writeFile(`${options.output}.json`, formatFigures(figures))
    process.stdout.write(`Written: ${relative(process.cwd(), options.output)}.md and .json\n`)
  })

/** The data folder of PostgreSQL itself. */
async function clusterFolder({ sql }: Pick<Postgres, 'sql'>): Promise<string> {
  const [row] = await sql<{ folder: string }>(`select current_setting('data_directory') as folder`)
  return row?.folder as string
}

type Figures = About & { trials: readonly (Trial & Pick<JudgedAttack, 'wrong'>)[] }

/** Returns the figures of the last run of every attack, of which a series replaces its own part, or null if there are none. */
export async function readFigures(output: string): Promise<Figures | null> {
  const text = await readFile(`${output}.json`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : JSON.parse(text)
}

/** Returns the figures as JSON with a line for each attack. */
function formatFigures({ trials, series, ...about }: Figures & { series: Series }): string {
  const { attacked, ...rest } = series
  const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1)
  const linesOf = (rows: readonly object[]): string => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`
  return `{${membersOf(about)},\n"trials": ${linesOf(trials)},\n"series": {${membersOf(rest)},\n"attacked": ${linesOf(attacked)}}}\n`
}

const judgedOf = ({ trials }: Figures): JudgedAttack[] =>
  trials.flatMap((trial) => {
    const attack = attacks.find(({ name }) => name === trial.attack)
    return attack ? [{ attack, trial, wrong: trial.wrong }] : []
  })
