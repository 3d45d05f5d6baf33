import { EmbeddedProblem } from '#server/embedded/open.ts'
import { compare } from './compare.ts'
import { compareDistributed } from './distributed/distributed.ts'
import { fresh } from './fresh/fresh.ts'
import { growth } from './growth/growth.ts'
import { help, readOptions } from './options.ts'
import { recordQueryPlans } from './plans/plans.ts'
import { endurance } from './pressure/endurance.ts'
import { firstSecond } from './pressure/first-second.ts'
import { pressure } from './pressure/pressure.ts'
import { processes } from './pressure/processes.ts'
import { BenchProblem } from './problem.ts'
import { profile } from './profile.ts'
import { writes } from './writes/writes.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) process.stdout.write(help)
  else
    await {
      ...{
        works: compare,
        writes,
        profile,
        growth,
        fresh,
        plans: recordQueryPlans,
        pressure,
        endurance,
        processes,
        distributed: compareDistributed,
      },
      'first-second': firstSecond,
    }[options.about](options)
} catch (error) {
  if (!(error instanceof BenchProblem || error instanceof EmbeddedProblem)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
