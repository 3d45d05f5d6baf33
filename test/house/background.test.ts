import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BackgroundRunner, createBackgroundRunner, type Job, jobs } from '#server/jobs/in-background.ts'

/** An error that no listener takes ends the process. So what may emit one is made in few files, each seen to fail. */

const root = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** What is made in a file, and the test in which it fails. */
type Place = { file: string; makes: string; test: string; title: string }

const places: Place[] = [
  {
    file: 'server/backup/read-backup.ts',
    makes: 'createWriteStream',
    test: 'test/backup/faults.test.ts',
    title: 'is named by a restore, which leaves nothing and no PostgreSQL.',
  },
  {
    file: 'server/backup/tar.ts',
    makes: 'createWriteStream',
    test: 'test/backup/tar.test.ts',
    title: 'on a full disk fails with the error of the file, and ends its source.',
  },
  {
    file: 'server/cluster/primary.ts',
    makes: 'fork',
    test: 'test/cluster/processes.test.ts',
    title: 'A process that is killed under load takes nobody along',
  },
  {
    file: 'server/commands/build-console.ts',
    makes: 'fork',
    test: 'test/command/build.test.ts',
    title: 'ends at once with %s to all that the terminal runs.',
  },
  {
    file: 'server/embedded/backup.ts',
    makes: 'Client',
    test: 'test/backup/faults.test.ts',
    title: 'A connection that copies and is lost',
  },
  {
    file: 'server/embedded/processes.ts',
    makes: 'spawn',
    test: 'test/embedded/problems.test.ts',
    title: 'A program that cannot be started is no error of the process.',
  },
  {
    file: 'server/embedded/cluster.ts',
    makes: 'spawn',
    test: 'test/embedded/problems.test.ts',
    title: 'What PostgreSQL says when it does not start is passed on.',
  },
  {
    file: 'server/embedded/members.ts',
    makes: 'Client',
    test: 'test/embedded/life.test.ts',
    title: 'When somebody else restarts PostgreSQL, its users are users again.',
  },
  {
    file: 'server/store/database.ts',
    makes: 'Pool',
    test: 'test/cluster/faults.test.ts',
    title: 'A database that stops and starts under load',
  },
  {
    file: 'server/store/connect.ts',
    makes: 'Client',
    test: 'test/cluster/silent-network.test.ts',
    title: 'All open connections that fall silent cost one deadline together',
  },
  {
    file: 'server/store/connect.ts',
    makes: 'Client',
    test: 'test/command/help-examples.test.ts',
    title: 'a DATABASE_URL that does not answer',
  },
]

const maker = /\b(createWriteStream|spawn|fork|Client|Pool)\(/g

test('What emits errors by itself is made in these files, each with a test in which it fails.', () => {
  const found = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('server', name))
    .flatMap((file) => [...new Set([...read(file).matchAll(maker)].map(([, makes]) => ({ file, makes })))])
  const listed = places.map(({ file, makes }) => ({ file, makes }))
  expect(found.toSorted(byFile)).toEqual(listed.toSorted(byFile))
})

const byFile = (
  one: { file: string; makes?: string | undefined },
  other: { file: string; makes?: string | undefined },
): number => `${one.file} ${one.makes}`.localeCompare(`${other.file} ${other.makes}`)

test.each(places)('$file fails in "$title"', ({ test: file, title }) => {
  expect(read(file)).toContain(title)
})

/** Timers whose work is no job: it computes and reads nothing from a disk or a connection. */
const timersOfTheirOwn = [
  'server/embedded/open.ts',
  'server/http/connections.ts',
  'server/http/failure-log.ts',
  // It defines `repeat`, whose callers name the job.
  'server/jobs/in-background.ts',
  'server/store/deadline.ts',
  'server/store/shared-connections.ts',
]

test('What a timer repeats is run in the background.', () => {
  const found = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('server', name))
    .filter((file) => file.endsWith('.ts') && /\b(setInterval|repeat)\(/.test(read(file)))
  const without = found.filter((file) => !read(file).includes('inBackground('))
  expect(without.toSorted()).toEqual(timersOfTheirOwn)
})

/** What was logged and counted, and a clock to be moved. */
function watched() {
  const logged: { facts: object; sentence: string }[] = []
  const counted: Job[] = []
  const clock = { now: 0, elapsed: () => clock.now }
  const log = { error: (facts: object, sentence: string) => void logged.push({ facts, sentence }) }
  const inBackground: BackgroundRunner = createBackgroundRunner({
    log,
    clock,
    countFailure: (job) => void counted.push(job),
  })
  return { logged, counted, clock, inBackground }
}

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('it broke')
    },
  ],
  ['rejects', () => Promise.reject(new Error('it broke'))],
  ['rejects with nothing', () => Promise.reject(undefined)],
])('A job that %s is counted and logged, and goes no further.', async (_, work) => {
  const { logged, counted, inBackground } = watched()
  await expect(inBackground('backup', work, { webhook_id: 7 })).resolves.toBeUndefined()
  expect(counted).toEqual(['backup'])
  expect(logged).toEqual([
    {
      facts: expect.objectContaining({ job: 'backup', webhook_id: 7 }),
      sentence: 'a backup could not be made, and is tried again',
    },
  ])
})

test('The same failure of a job is logged once in ten seconds, and counted each time; another one is logged at once.', async () => {
  const { logged, counted, clock, inBackground } = watched()
  const fail = (says: string) => inBackground('calls', () => Promise.reject(new Error(says)))
  for (let turn = 0; turn < 101; turn++) {
    await fail('away')
    clock.now += 100
  }
  expect([logged.length, counted.length]).toEqual([2, 101])
  await fail('full')
  expect(logged.length).toBe(3)
})

test('A job that succeeds is neither counted nor logged, and has a sentence for when it fails.', async () => {
  const { logged, counted, inBackground } = watched()
  for (const job of jobs) await inBackground(job, () => 1)
  expect([logged, counted]).toEqual([[], []])
  for (const job of jobs) await inBackground(job, () => Promise.reject(new Error(job)))
  expect(logged.map(({ sentence }) => sentence)).not.toContain(undefined)
})
