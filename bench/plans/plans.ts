import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { everyStatement } from '#derive/queries/every.ts'
import { sessionOptions } from '#server/store/database.ts'
import type { Options } from '../options.ts'
import { BenchProblem } from '../problem.ts'
import { companyCount } from '../scenario/layout.ts'
import { freshCopy } from '../scenario/load.ts'
import { inSurroundings } from '../surroundings.ts'
import { fillOthers } from './fill-others.ts'
import { planOf, readWhole, sortsById } from './plan.ts'

const folder = join(import.meta.dirname, 'goldens')
/** Pages in the order of their ids are cut from an index. */
const pages = ['fetch', 'list']

/** Compares how PostgreSQL goes about each derived statement, at a size, with what is committed. */
export const plans = ({ records, update }: Options): Promise<void> =>
  inSurroundings(async ({ postgres, progress }) => {
    const size = records[0] as number
    const database = await freshCopy(postgres, size, progress)
    const client = new pg.Client({ ...postgres.connection(database), options: sessionOptions(limits) })
    await client.connect()
    try {
      progress.say('Filling the other kinds of record …')
      await fillOthers(client, companyCount)
      const wrong: string[] = []
      for (const [topic, statements] of everyStatement) {
        const seen: string[] = []
        for (const statement of statements) {
          const name = statement.name ?? '(unnamed)'
          const { text, root } = await planOf(client, statement)
          seen.push(`-- ${name}\n${text}\n`)
          wrong.push(...readWhole(root).map((table) => `${topic}: ${name} reads all of ${table}`))
          if (pages.includes(topic) && sortsById(root)) wrong.push(`${topic}: ${name} sorts by id`)
        }
        wrong.push(...(await compared(topic, seen.join('\n'), update)))
      }
      if (wrong.length > 0) throw new BenchProblem(wrong.join('\n'))
      process.stdout.write(`The plans of ${everyStatement.length} topics are as committed in bench/plans/goldens.\n`)
    } finally {
      await client.end()
      await postgres.sql(`drop database if exists ${database} with (force)`)
    }
  })

const limits = { connectionsMax: 1, statementTimeout: 60_000, lockTimeout: 60_000, connectTimeout: 10_000 }

async function compared(topic: string, seen: string, update: boolean): Promise<string[]> {
  const file = join(folder, `${topic}.txt`)
  if (update) {
    await mkdir(folder, { recursive: true })
    await writeFile(file, seen)
    return []
  }
  const committed = await readFile(file, 'utf8').catch(() => '')
  if (committed === seen) return []
  return [`${topic}: the plans differ from ${file}. Look at them with --plans --update and git diff.`]
}
