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
/** Short texts that run for long. The others come by the length of their text, so the last ones are over soon. */
const first = testsOf([
  'browser/accessibility',
  'document/drawn',
  'documents/pages',
  'house/closed-checkout',
  'http/precedence',
  'bench/fresh',
])

class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification): boolean => first.some((file) => moduleId.endsWith(`/${file}`))
    const sorted = await super.sort(specifications)
    return [...sorted.filter(isFirst), ...sorted.filter((one) => !isFirst(one))]
  }
}

export default defineConfig({
  test: {
    globalSetup: ['run-folder', 'compile-cache', 'chromium', 'postgres'].map((name) => `test/stage/${name}.ts`),
    // For what never ends, not for what is slow: a machine with other work takes several times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    // Tests of one file that run side by side.
    maxConcurrency: 8,
    sequence: { sequencer: LongFirst },
    projects: [
      // Some compute and some wait for processes, browsers and databases of their own: any two keep two processors busy.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{registry,derive,sql,test}/**/*.test.ts'],
          // Those of test/citus need a cluster: npm run citus.
          exclude: [...alone, 'test/citus/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
