import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/** npm run torture -- --minutes N: rounds over two processes that are killed, until the time is over. */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, changes: { type: 'string', default: '10000' } },
})
const run = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/torture/vitest.config.ts']
const { status } = spawnSync(process.execPath, run, {
  stdio: 'inherit',
  env: { ...process.env, TORTURE_MINUTES: values.minutes, TORTURE_CHANGES: values.changes },
})
process.exitCode = status ?? 1
