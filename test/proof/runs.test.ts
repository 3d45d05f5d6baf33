import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { contend, judgeContention } from '../../proof/contention.ts'
import { generateHistory } from '../../proof/generate.ts'
import { failMessages, messageOperations } from '../../proof/messages.ts'
import { judgeRaces, raceKinds, runRaces } from '../../proof/races/run.ts'
import { run } from '../../proof/run.ts'
import { createCompany, startService } from '../../proof/service.ts'

/** The short forms of the long runs. */

const folder = mkdtempSync(join(tmpdir(), 'plumbline-runs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const proof = join(import.meta.dirname, '../../proof')
const start = (program: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [join(proof, program), ...words]).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  )

test('Under load and faults every promise is kept', async () => {
  const file = join(folder, 'load.jsonl')
  const outcome = await run({ rounds: [5], seed: 7, file, faultEveryMs: 1000, writers: 8 })
  expect(outcome.violations).toEqual([])
  expect(outcome.faults).toBeGreaterThan(0)
  expect(outcome.changes).toBeGreaterThan(50)
})

test('Three kills, each as soon as callers are answered again, break no promise', async () => {
  const file = join(folder, 'kills.jsonl')
  const outcome = await run({ rounds: [Number.POSITIVE_INFINITY], kills: 3, seed: 2, file, writers: 4 })
  expect(outcome.violations).toEqual([])
  expect(outcome.kills.map(({ waitMs }) => waitMs > 0)).toEqual([true, true, true])
})

test('Fourteen callers that write the same few records over a hop of TCP never deadlock, and none fails', async () => {
  const run = await contend({ starts: 1, secondsEach: 6, seed: 5, file: join(folder, 'contention.jsonl') })
  expect(judgeContention(run), run.starts[0]?.said.join('\n')).toMatchObject({ isWhole: true })
  expect(run.starts[0]?.calls).toBeGreaterThan(100)
})

test('Races over two processes break no promise, and are answered as they should be', async () => {
  const asked = { keys: 30, deletions: 30, plans: 5 }
  const races = await runRaces({ asked, seed: 3, file: join(folder, 'races.jsonl') })
  expect(judgeRaces(races, asked).lines.filter((line) => /^(BROKEN|WRONG)/.test(line))).toEqual([])
  for (const kind of raceKinds) expect(races.kinds[kind].overlapped).toBeGreaterThanOrEqual(asked[kind])
})

// These two go on side by side: they wait for answers that do not come, and for the end of a load.
test.concurrent('Each operation keeps every promise when PostgreSQL does not answer its last message', async () => {
  const file = join(folder, 'messages.jsonl')
  const asked = { file, faults: ['not answered'], keyed: [true], isShort: true } as const
  const { trials, violations } = await failMessages(asked)
  expect(violations).toEqual([])
  expect(trials.map(({ operation, heard, wrong }) => ({ operation, heard, wrong }))).toEqual(
    messageOperations.map((operation) => ({ operation, heard: '503 outcome_unknown', wrong: null })),
  )
})

test.concurrent('A service that runs already is loaded by its address, and its history checked', async () => {
  const service = await startService()
  const url = `${service.url}/`
  try {
    const [a, b] = await Promise.all(['a', 'b'].map((name) => createCompany(service.give, { name })))
    const words = ['--url', url, '--token', a?.token as string, '--folder', folder]
    const done = await start(
      'remote.ts',
      ...words,
      '--token-b',
      b?.token as string,
      '--minutes',
      '0.1',
      '--writers',
      '4',
    )
    expect(done.stdout).toMatch(/^\d+ calls, 0 promises broken\./m)
    const again = await start('remote.ts', ...words)
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a token of a company that has none') })
  } finally {
    await service.close()
  }
})

test('A history of 50,000 calls is checked with less than 300 MB', async () => {
  const file = join(folder, 'generated.jsonl')
  writeFileSync(file, [...generateHistory(50_000, 1)].map((line) => JSON.stringify(line)).join('\n'))
  const { stdout } = await start('check.ts', file)
  const [, calls, megabytes, broken] = /(\d+) calls checked in .* s, with (\d+) MB; (\d+) promises/.exec(stdout) ?? []
  expect(Number(calls)).toBeGreaterThanOrEqual(50_000)
  expect(broken).toBe('0')
  expect(Number(megabytes)).toBeLessThan(300)
})
