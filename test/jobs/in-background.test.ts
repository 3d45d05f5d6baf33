import { expect, test } from 'vitest'
import { type BackgroundRunner, createBackgroundRunner, type Job, jobs } from '#server/jobs/in-background.ts'

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
