import { defineConfig } from 'vitest/config'

/** Asks of one process and its database; two files at a time find room on two processors. */
const light = ['http', 'console', 'document', 'derive', 'webhooks'].map((folder) => `test/${folder}/**/*.test.ts`)

/** They start processes, browsers or databases of their own and wait for them more than they work. */
const waiting = ['backup', 'browser', 'command', 'embedded', 'examples', 'house', 'ship', 'upgrade'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

export default defineConfig({
  test: {
    globalSetup: ['test/stage/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'light',
          include: ['registry/**/*.test.ts', 'derive/**/*.test.ts', 'sql/**/*.test.ts', ...light],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'waiting', include: waiting, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      // They count and measure, and need the machine to themselves.
      {
        extends: true,
        test: {
          name: 'heavy',
          include: ['test/**/*.test.ts'],
          // Those of test/citus need a cluster: npm run citus.
          exclude: [...light, ...waiting, 'test/citus/**'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
