import { defineConfig } from 'vitest/config'

/** The long form of `test/cluster/changes.test.ts`, which no run of the suite makes. */
export default defineConfig({
  test: {
    globalSetup: ['test/stage/postgres.ts'],
    include: ['test/torture/rounds.ts'],
    hookTimeout: 60_000,
    reporters: ['default'],
  },
})
