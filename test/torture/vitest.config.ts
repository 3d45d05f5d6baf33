import { defineConfig } from 'vitest/config'

/** The long forms of `test/cluster/changes.test.ts` and `batch.test.ts`, which no run of the suite makes. */
export default defineConfig({
  test: {
    globalSetup: ['test/stage/postgres.ts'],
    include: [process.env.TORTURE_KILLS === undefined ? 'test/torture/rounds.ts' : 'test/torture/kills.ts'],
    hookTimeout: 60_000,
    reporters: ['default'],
  },
})
