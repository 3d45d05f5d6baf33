import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { surroundings } from '../surroundings.ts'
import { copyCheckout, type FoundRun, hasFound, planted, runPlanted } from './planted-bugs.ts'

/**
 * `npm run planted`: each bug is planted in a copy of the service, which then runs under load until the rule that is named
 * with the bug has found it, or three minutes have passed. First the service as it is has to be found clean by the same run.
 * Numbers after `--` choose some; what earlier runs found of the others stays in the file.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'data/proof/planted.json' },
  },
})
const clean = { bug: 'none', rule: 'none', by: 'faults' } as const
const chosen = planted.filter((_, index) => positionals.length === 0 || positionals.includes(String(index + 1)))
const folder = mkdtempSync(join(tmpdir(), 'plumbline-planted-'))
process.once('SIGINT', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit(130)
})
mkdirSync(dirname(values.out), { recursive: true })
const before: FoundRun[] =
  positionals.length > 0 && existsSync(values.out) ? JSON.parse(readFileSync(values.out, 'utf8')).runs : []
const runs: FoundRun[] = []
const since = performance.now()
try {
  const checkout = join(folder, 'checkout')
  copyCheckout(checkout)
  for (const one of [clean, ...chosen]) {
    const seen = await runPlanted(one, { checkout, file: join(folder, 'history.jsonl'), seed: Number(values.seed) })
    runs.push(seen)
    const others = before.filter(({ bug }) => !runs.some((run) => run.bug === bug))
    writeFileSync(
      values.out,
      `${JSON.stringify({ ...surroundings(), seed: values.seed, runs: [...others, ...runs] }, null, 2)}\n`,
    )
    const word = hasFound(seen) ? (one === clean ? 'clean ' : 'found ') : one === clean ? 'BROKEN' : 'MISSED'
    const said = seen.failure ?? JSON.stringify(seen.found)
    console.log(`${word} ${one.bug}: ${said}, ${seen.calls} calls, ${seen.seconds} s`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
const found = runs.slice(1).filter(hasFound).length
console.log(
  `${found} of ${chosen.length} planted bugs were found, in ${Math.round((performance.now() - since) / 1000)} s.`,
)
if (!runs.every(hasFound)) process.exitCode = 1
