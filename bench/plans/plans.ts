import pg from 'pg'
import { migrate } from '#server/store/migrate.ts'
import { sessionOptions } from '#server/store/session.ts'
import type { Options } from '../options.ts'
import type { Postgres } from '../postgres.ts'
import { BenchProblem } from '../problem.ts'
import { companyCount } from '../scenario/layout.ts'
import { freshCopy } from '../scenario/load.ts'
import { inSurroundings } from '../surroundings.ts'
import { fillOthers } from './fill.ts'
import { accessPathsOf, planOf } from './plan.ts'
import { everyStatement } from './statements/index.ts'

/** Compares the plans of all derived statements at a size with those in a new database. */
export const recordQueryPlans = ({ records }: Options): Promise<void> =>
  inSurroundings(async ({ postgres, progress }) => {
    const size = records[0] as number
    const empty = 'bench_empty'
    await postgres.sql(`drop database if exists ${empty} with (force)`)
    await postgres.sql(`create database ${empty}`)
    await migrate(postgres.connection(empty), progress.say)
    const database = await freshCopy(postgres, size, companyCount, progress)
    try {
      const inNew = await accessPathsOfAll(postgres, empty, async () => {})
      const among = await accessPathsOfAll(postgres, database, (client) => {
        progress.say('Filling the other kinds of record …')
        return fillOthers(client, companyCount)
      })
      const others = [...inNew].filter(([statement, accessPaths]) => among.get(statement) !== accessPaths)
      if (others.length > 0) {
        throw new BenchProblem(
          others
            .map(
              ([statement, accessPaths]) => `${statement}\n${accessPaths}\nbut at this size\n${among.get(statement)}`,
            )
            .join('\n\n'),
        )
      }
      process.stdout.write(`All ${inNew.size} statements go the ways that they go in a new database.\n`)
    } finally {
      for (const name of [database, empty]) await postgres.sql(`drop database if exists ${name} with (force)`)
    }
  })

const limits = { connectionsMax: 1, statementTimeout: 60_000, lockTimeout: 60_000, connectTimeout: 10_000 }

async function accessPathsOfAll(
  postgres: Postgres,
  database: string,
  prepare: (client: pg.Client) => Promise<void>,
): Promise<Map<string, string>> {
  const client = new pg.Client({ ...postgres.connection(database), options: sessionOptions(limits) })
  await client.connect()
  try {
    await prepare(client)
    const accessPaths = new Map<string, string>()
    for (const statement of everyStatement.flatMap(([, statements]) => statements)) {
      accessPaths.set(statement.text, accessPathsOf((await planOf(client, statement)).root).join('\n'))
    }
    return accessPaths
  } finally {
    await client.end()
  }
}
