import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const testsOf = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`)

/**
 * They hold shares, moments and floods against each other, and need the machine to themselves; or the server of the
 * database: a transaction of another database that lasts keeps pages from being tidied, and all databases write one log.
 */
const alone = testsOf([
  'cluster/fairness',
  'cluster/faults',
  'cluster/stopping',
  'embedded/start-time',
  'hostile/*',
  'house/updates-in-place',
  'webhooks/room',
])
/** The files that take longest, by the clock, so that all workers end together. Others come by the length of their text. */
const longest = testsOf([
  'documents/pages',
  'cluster/fault-table',
  'browser/accessibility',
  'backup/archive',
  'browser/import',
  'browser/reference',
  'embedded/life',
  'embedded/surroundings',
  'browser/records',
  'command/build',
  'cluster/two-processes',
  'document/drawn',
  'backup/faults',
  'cluster/database-kills',
  'backup/schedule',
  'command/serve',
  'command/import',
  'backup/backup',
  'browser/work',
  'house/closed-checkout',
  'http/precedence',
  'backup/cursors',
  'embedded/keep-running',
  'http/coverage',
  'embedded/first-start',
  'bench/smoke',
  'bench/fresh',
  'command/dev',
  'cluster/full-disk',
  'embedded/upgrade',
  'ship/image',
  'browser/books',
  'ship/server',
  'upgrade/beside',
  'browser/profile',
  'house/log-order',
  'document/served',
  'clients/calls',
  'upgrade/upgrade',
])

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`))
      return place < 0 ? longest.length : place
    }
    const sorted = await super.sort(specifications)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  test: {
    globalSetup: ['run-folder', 'compile-cache', 'chromium', 'postgres'].map((name) => `test/stage/${name}.ts`),
    // For what never ends, not for what is slow: a machine with other work takes several times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests of one file that run side by side.
    maxConcurrency: 8,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Some compute and some wait for processes, browsers and databases of their own: any three keep two processors busy.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{registry,derive,sql,test}/**/*.test.ts'],
          // Those of test/citus need a cluster: npm run citus.
          exclude: [...alone, 'test/citus/**'],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
