import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { failMessages, messageOperations } from '../../proof/messages.ts'
import { run } from '../../proof/run.ts'

/** The short forms of `npm run proof` and of `npm run proof -- --messages`. */
const folder = mkdtempSync(join(tmpdir(), 'plumbline-proof-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('Under writers and faults every promise is kept', async () => {
  const asked = { seconds: 5, seed: 1, faultEveryMs: 2500, writers: 8, file: join(folder, 'load.jsonl') }
  const { violations, calls, changes, faults } = await run(asked)
  expect(violations).toEqual([])
  expect(Math.min(calls, changes, faults)).toBeGreaterThan(0)
})

test('The commit of each operation whose answer is lost is settled by a retry with the key', async () => {
  const asked = {
    file: join(folder, 'messages.jsonl'),
    faults: ['not answered'],
    keyed: [true],
    isShort: true,
  } as const
  const { trials, violations } = await failMessages(asked)
  expect(trials.filter(({ wrong }) => wrong !== null)).toEqual([])
  expect(trials.map(({ operation, heard }) => [operation, heard])).toEqual(
    messageOperations.map((operation) => [operation, '503 outcome_unknown']),
  )
  expect(violations).toEqual([])
})
