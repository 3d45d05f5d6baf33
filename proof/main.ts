import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from './run.ts'

/**
 * `npm run proof -- --minutes N`: callers write under faults of a service that is started for it, and the history of what
 * they heard is checked. Ctrl-C ends it with what it has. The history and the figures stay in the folder.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'fault-every': { type: 'string', default: '1.5' },
    'no-faults': { type: 'boolean', default: false },
    checkout: { type: 'string' },
    folder: { type: 'string', default: 'data/proof' },
  },
})
const ending = new AbortController()
process.once('SIGINT', () => ending.abort())
mkdirSync(values.folder, { recursive: true })
const outcome = await run({
  ...{ seconds: 60 * Number(values.minutes), seed: Number(values.seed), signal: ending.signal },
  file: join(values.folder, 'history.jsonl'),
  ...(values['no-faults'] ? {} : { faultEveryMs: 1000 * Number(values['fault-every']) }),
  ...(values.checkout === undefined ? {} : { checkout: values.checkout }),
})
writeFileSync(join(values.folder, 'outcome.json'), `${JSON.stringify({ seed: values.seed, ...outcome }, null, 2)}\n`)
const { calls, changes, faults, violations } = outcome
console.log(`${calls} calls, ${changes} changes, ${faults} faults, ${outcome.seconds} s, seed ${values.seed}`)
for (const { rule, places } of violations) {
  console.log(`BROKEN ${rule}: ${places.length} places`)
  for (const place of places.slice(0, 5)) console.log(`  ${place}`)
}
if (violations.length > 0) process.exitCode = 1
