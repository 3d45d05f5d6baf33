import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { failMessages } from '../messages.ts'
import { run } from '../run.ts'
import { copyCheckout, type Planted, plant, planted } from './planted.ts'

/**
 * `npm run planted`: each bug is planted in a copy of the service, which then runs under load; the rule that is named with
 * the bug has to find it. First the service as it is has to be found clean by the same run. Numbers after `--` choose some.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    'faults-every': { type: 'string', default: '6' },
    out: { type: 'string', default: 'data/planted.json' },
  },
})
const chosen = planted.filter((_, index) => positionals.length === 0 || positionals.includes(String(index + 1)))
const folder = mkdtempSync(join(tmpdir(), 'plumbline-planted-'))
process.once('SIGINT', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit(130)
})

type Found = { bug: string; rule: string; calls: number; seconds: number; found: { [rule: string]: number } }

const checkout = join(folder, 'checkout')
const file = join(folder, 'history.jsonl')
const runs: Found[] = []
let missed = 0

async function load(what: Pick<Planted, 'bug' | 'rule' | 'by'>): Promise<Found> {
  if (what.by === 'messages') return failSome(what)
  const hasFaults = what.by === 'faults'
  const { calls, seconds, violations } = await run({
    ...{ seconds: Number(values.seconds), seed: Number(values.seed), file, checkout },
    ...(hasFaults ? { faultEveryMs: 1000 * Number(values['faults-every']) } : {}),
  })
  const found = Object.fromEntries(violations.map(({ rule, places }) => [rule, places.length]))
  return { bug: what.bug, rule: what.rule, calls, seconds, found }
}

/** Lets the messages of creates without a key fail. */
async function failSome({ bug, rule }: Pick<Planted, 'bug' | 'rule'>): Promise<Found> {
  const since = performance.now()
  const asked = { file, checkout, operations: ['create'], keyed: [false], faults: ['not answered'] } as const
  const { trials, violations } = await failMessages(asked)
  const found = Object.fromEntries(violations.map(({ rule: name, places }) => [name, places.length]))
  return { bug, rule, calls: trials.length, seconds: Math.round((performance.now() - since) / 1000), found }
}

try {
  copyCheckout(checkout)
  const clean = await load({ bug: 'none', rule: 'none', by: 'faults' })
  runs.push(clean)
  const isClean = Object.keys(clean.found).length === 0
  console.log(
    `${isClean ? 'clean  ' : 'BROKEN '} the service as it is, ${clean.calls} calls ${JSON.stringify(clean.found)}`,
  )
  if (!isClean) missed++
  for (const one of chosen) {
    const path = join(checkout, one.file)
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, plant(one, checkout))
    try {
      const seen = await load(one)
      runs.push(seen)
      const isFound = seen.found[one.rule] !== undefined
      if (!isFound) missed++
      console.log(`${isFound ? 'found  ' : 'MISSED '} ${one.bug}: ${JSON.stringify(seen.found)}, ${seen.calls} calls`)
    } finally {
      writeFileSync(path, whole)
    }
  }
  console.log(`${chosen.length - missed} of ${chosen.length} planted bugs were found.`)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  writeFileSync(values.out, `${JSON.stringify({ seed: values.seed, runs }, null, 2)}\n`)
}
if (missed > 0) process.exitCode = 1
