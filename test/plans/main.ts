import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/** npm run plans -- --rounds N: the rounds of `test/http/plan-rounds.test.ts`, as many as one likes. */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' }, seed: { type: 'string' } } })
const run = ['node_modules/vitest/vitest.mjs', 'run', 'test/http/plan-rounds.test.ts']
const { status } = spawnSync(process.execPath, run, {
  stdio: 'inherit',
  env: { ...process.env, PLAN_ROUNDS: values.rounds, ...(values.seed ? { PLAN_SEED: values.seed } : {}) },
})
process.exitCode = status ?? 1
