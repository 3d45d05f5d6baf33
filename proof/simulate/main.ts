import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { surroundings } from '../surroundings.ts'
import { beginWith, judgeSimulation, type KeptSchedule, runSeeds, withGround } from './run.ts'
import { simulate } from './simulation.ts'

/**
 * `npm run simulate -- --seed N --runs M`: two processes of the service on one PostgreSQL, whose messages go one at a time in an
 * order that is drawn from the seed. A schedule that breaks a promise is shrunk and kept as a file; `--trace FILE` follows it
 * again. Ctrl-C ends the run with what it has.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '1' },
    trace: { type: 'string' },
    checkout: { type: 'string', default: join(import.meta.dirname, '../..') },
    folder: { type: 'string', default: 'data/proof' },
  },
})
const { checkout, folder, trace } = values
const isGood = await (trace === undefined ? runDrawn() : follow(trace))
// A schedule that Ctrl-C has cut off may still wait for something.
process.exit(isGood ? 0 : 1)

async function runDrawn(): Promise<boolean> {
  mkdirSync(folder, { recursive: true })
  const [seed, runs] = [Number(values.seed), Number(values.runs)]
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  const run = await runSeeds({
    ...{ seed, runs, checkout, signal: ending.signal },
    onProgress: (done) => {
      if (!process.stderr.isTTY) return
      const filled = Math.round((30 * done) / runs)
      process.stderr.write(`\r[${'#'.repeat(filled)}${'-'.repeat(30 - filled)}] ${done} of ${runs} schedules `)
      if (done === runs) process.stderr.write('\n')
    },
    onBroken: (kept) => {
      const file = join(folder, `schedule-${kept.seed}.json`)
      writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`)
      console.log(`Seed ${kept.seed} breaks ${kept.rules.join(', ')}. Follow it with --trace ${file}`)
    },
  })
  writeFileSync(join(folder, 'simulate.json'), `${JSON.stringify({ ...surroundings(), ...run }, null, 2)}\n`)
  const { lines, isGood } = judgeSimulation(run)
  console.log(`Seeds from ${seed} on.`)
  for (const line of lines) console.log(line)
  return isGood
}

/** Follows a schedule that was kept, and prints each step. */
async function follow(file: string): Promise<boolean> {
  const { seed, schedule }: KeptSchedule = JSON.parse(readFileSync(file, 'utf8'))
  const { steps, violations } = await withGround(checkout, (ground) =>
    simulate(ground, { seed, choose: beginWith(schedule) }),
  )
  for (const [place, { event, seen }] of steps.entries())
    console.log(`${place < schedule.length ? '*' : ' '} ${event}${seen === '' ? '' : ` | ${seen}`}`)
  for (const { rule, places } of violations) {
    console.log(`BROKEN ${rule}`)
    for (const place of places.slice(0, 5)) console.log(`  ${place}`)
  }
  return violations.length === 0
}
