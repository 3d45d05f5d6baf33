import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'registry/**/*.test.ts', 'derive/**/*.test.ts'],
    globalSetup: ['test/stage/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
