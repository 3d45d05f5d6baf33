import { defineConfig } from 'vitest/config'

/**
 * The tests of /v1 and of several processes on a database that distributes companies: the cluster of CITUS_URL, which
 * names its coordinator. Where it is missing, nothing is run and that is a failure.
 */

/** They look at how one server alone is asked: reads that share a statement there, what its own counters say, how often. */
const ofOneServer = ['batchable-reads', 'entries', 'round-trips'].map((name) => `test/http/${name}.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ['test/stage/run-folder.ts', 'test/stage/compile-cache.ts', 'test/citus/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxConcurrency: 8,
    projects: [
      {
        extends: true,
        test: {
          name: 'citus-http',
          include: ['test/http/**/*.test.ts'],
          exclude: ofOneServer,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      // They stop servers, or need the machine to themselves.
      {
        extends: true,
        test: {
          name: 'citus',
          include: ['test/citus/**/*.test.ts', 'test/cluster/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
