import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { buildConsole } from '#server/commands/build-console.ts'
import { migrate } from '#server/store/migrate.ts'
import { urlOf } from '../../bench/postgres.ts'
import { inSurroundings, machine, write } from '../../bench/surroundings.ts'
import { layGround } from './ground.ts'
import { type Options, secondsEach } from './options.ts'
import { type Judged, pageOf, textOf } from './report.ts'
import { attempt, longForm } from './trial.ts'
import { longVerdictOf } from './verdict.ts'

const database = 'hostile'

/** The long form: every attack for its share of the time, with times, and a page of what came of it. */
export const attackAll = (options: Options): Promise<void> =>
  inSurroundings(async ({ postgres, progress, onLeave }) => {
    const about = { at: new Date().toISOString(), machine: await machine(postgres), secondsEach: secondsEach(options) }
    // Beforehand: the first process would do it, and it takes more memory than all that is served.
    await buildConsole(progress.say)
    const drop = (): Promise<unknown> => postgres.sql(`drop database if exists ${database} with (force)`)
    await drop()
    await postgres.sql(`create database ${database}`)
    onLeave(async () => void (await drop()))
    const connection = postgres.connection(database)
    await migrate(connection, progress.say)
    const ground = await layGround(connection)

    const judged: Judged[] = []
    for (const [index, attack] of options.attacks.entries()) {
      progress.bar(attack.name, index, options.attacks.length)
      const trial = await attempt(attack, ground, urlOf(connection), longForm(about.secondsEach))
      const wrong = longVerdictOf(attack, trial)
      judged.push({ attack, trial, wrong })
      progress.end()
      process.stderr.write(wrong.length === 0 ? `✓ ${attack.name}\n` : `✗ ${attack.name}: ${wrong.join(' ')}\n`)
    }
    progress.end()
    process.stdout.write(`\n${textOf(judged)}`)
    if (judged.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
    if (options.output === null) return
    await mkdir(dirname(options.output), { recursive: true })
    await writeFile(`${options.output}.md`, pageOf(about, judged))
    const figures = { ...about, trials: judged.map(({ trial, wrong }) => ({ ...trial, wrong })) }
    const written = await write(`${options.output}.json`, figures)
    process.stdout.write(`Written: ${relative(process.cwd(), `${options.output}.md`)} and ${written}\n`)
  })
