import { afterAll, beforeAll, expect, test } from 'vitest'
import { urlOf } from '../../bench/postgres.ts'
import { freshDatabase } from '../stage/database.ts'
import type { Attack, Ground } from './attack.ts'
import { layGround } from './ground.ts'
import { isPossible } from './possible.ts'
import { attempt, shortForm } from './trial.ts'
import { verdictOf } from './verdict.ts'

/** Longer than an attack that works takes to be seen through, on a machine that has other work. */
const timeoutMilliseconds = 120_000

/** The short form of some attacks: counts and bounds. How long anything took is no matter of a test. */
export function attackShortly(attacks: readonly Attack[]): void {
  let database: Awaited<ReturnType<typeof freshDatabase>> | undefined
  let ground: Ground
  let databaseUrl: string
  beforeAll(async () => {
    if (!isPossible) return
    database = await freshDatabase()
    databaseUrl = urlOf(database.connection)
    ground = await layGround(database.connection)
  })
  afterAll(() => database?.drop())

  test.runIf(isPossible).each(attacks)(
    '$name: $about The others are served.',
    async (attack) => {
      const trial = await attempt(attack, ground, databaseUrl, shortForm)
      expect(verdictOf(attack, trial), JSON.stringify(trial)).toEqual([])
    },
    timeoutMilliseconds,
  )
}
