import { defineConfig } from 'vitest/config'

/** They hold a share, a moment or a flood against each other, and need the machine to themselves. */
const alone = ['cluster/fairness', 'cluster/faults', 'cluster/stopping', 'hostile/*'].map(
  (name) => `test/${name}.test.ts`,
)

export default defineConfig({
  test: {
    globalSetup: ['test/stage/compile-cache.ts', 'test/stage/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      // Some compute and some wait for processes, browsers and databases of their own: any two keep two processors busy.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{registry,derive,sql,test}/**/*.test.ts'],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
