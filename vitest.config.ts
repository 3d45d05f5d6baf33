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
  '{registry,derive,import,sql}/**/*.test.ts',
  'test/{agents,attacks,browser,document,examples,fair,http,persons,webhooks}/**/*.test.ts',
  'test/console/!(password-queue).test.ts',
]
/** Folders whose tests start programs, browsers or databases of their own, and so take long. */
const slowFolders = /\/test\/(attacks|backup|bench|browser|cluster|command|documents|embedded|proof|upgrade)\//

/**
 * The longest files come first, so that all workers end together: by their time in the last run, which Vitest stores in
 * node_modules/.vite. A file that has not run in this checkout is placed by its folder, then by the length of its text.
 */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const isShort = (one: TestSpecification): boolean =>
      this.ctx.cache.getTestSpecificationResult(one) === undefined && !slowFolders.test(one.moduleId)
    // A worker goes on to the next file only if neither is isolated, so those of one project stay together.
    return [...Map.groupBy(sorted, ({ project }) => project.name).values()].flatMap((files) =>
      files.toSorted((one, other) => Number(isShort(one)) - Number(isShort(other))),
    )
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
