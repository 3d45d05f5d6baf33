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
  'house/updates-in-place',
  'webhooks/room',
])
/** Their attacks are counted and not timed, so two may be made at once; but nothing else beside them. */
const attacks = testsOf(['hostile/*'])
/**
 * They call the service in their own process. A worker keeps its modules from one file to the next: they have no state.
 * One of the console puts a module of its own in the place of another, and gets a worker of its own.
 */
const within = [
  '{registry,derive,sql}/**/*.test.ts',
  'test/{agents,attacks,browser,document,examples,fair,http,persons,webhooks}/**/*.test.ts',
  'test/console/!(password-queue).test.ts',
]
/** The files that take longest, by the clock, so that all workers end together. Others come by the length of their text. */
const longest = testsOf([
  'documents/pages',
  'browser/accessibility',
  'proof/runs',
  'http/row-locks',
  'attacks/made-up',
  'attacks/planted',
  'cluster/fault-table',
  'backup/backup',
  'browser/work',
  'browser/import',
  'browser/records',
  'backup/archive',
  'command/serve',
  'cluster/two-processes',
  'document/drawn',
  'backup/faults',
  'proof/disk',
  'browser/books',
  'embedded/life',
  'proof/simulate',
  'attacks/suite',
  'http/precedence',
  'command/import',
  'embedded/surroundings',
  'bench/fresh',
  'command/build',
  'cluster/silent-network',
  'proof/faults',
  'embedded/upgrade',
  'house/closed-checkout',
  'browser/reference',
  'browser/profile',
  'proof/planted',
  'upgrade/upgrade',
  'http/coverage',
  'cluster/full-disk',
  'embedded/keep-running',
  'command/demo-accounts',
  'browser/token',
  'backup/cursors',
  'command/companies',
  'backup/schedule',
  'house/where-to-put-a-line',
  'browser/workbench',
  'browser/forms',
  'http/entries',
  'upgrade/steps',
  'upgrade/beside',
  'command/key',
  'bench/smoke',
  'cluster/processes',
  'command/exit-codes',
  'document/clients',
  'embedded/first-start',
  'document/served',
  'clients/calls',
  'cluster/database-kills',
  'command/dev',
  'ship/image',
  'ship/server',
  'house/log-order',
])

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`))
      return place < 0 ? longest.length : place
    }
    const sorted = await super.sort(specifications)
    // Isolated files come first: a worker goes on to the next file only if neither is isolated.
    const isIsolated = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1)
    return sorted.toSorted((one, other) => isIsolated(one) - isIsolated(other) || placeOf(one) - placeOf(other))
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
          include: ['test/**/*.test.ts'],
          // Those of test/citus need a cluster: npm run citus.
          exclude: [...alone, ...attacks, ...within, 'test/citus/**'],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'within',
          include: within,
          exclude: alone,
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'attacks', include: attacks, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
