import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/**
 * npm run torture -- --minutes N: rounds over two processes that are killed, until the time is over. With --kills N: so
 * many batches that are killed in the middle. With --messages: each message between service and database fails in each way.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    changes: { type: 'string', default: '10000' },
    kills: { type: 'string' },
    messages: { type: 'boolean', default: false },
  },
})
const run = values.messages
  ? ['proof/main.ts', '--messages']
  : ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/torture/vitest.config.ts']
const { status } = spawnSync(process.execPath, run, {
  stdio: 'inherit',
  env: {
    ...process.env,
    TORTURE_MINUTES: values.minutes,
    TORTURE_CHANGES: values.changes,
    ...(values.kills === undefined ? {} : { TORTURE_KILLS: values.kills }),
  },
})
process.exitCode = status ?? 1
