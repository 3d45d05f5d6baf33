import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startChangeWatch } from '#server/service/change-watch.ts'
import type { Database } from '#server/store/database.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watch over a log in which nothing happens, with one caller who waits. */
function watched() {
  let looks = 0
  let commit = (): void => {}
  const database = {
    read: async () => {
      looks++
      return [{ epoch: 1, pos: '10', company_ids: [] }]
    },
    onCommit: (listener: () => void) => {
      commit = listener
    },
  } as unknown as Pick<Database, 'read' | 'onCommit'>
  const watch = startChangeWatch(database, {
    inBackground: (look) => look().catch(() => undefined),
    onCount: () => {},
  })
  const wait = () => watch.wait(1, { epoch: 1, pos: '5' }, 30_000, new AbortController().signal)
  const looksIn = async (milliseconds: number): Promise<number> => {
    const before = looks
    await vi.advanceTimersByTimeAsync(milliseconds)
    return looks - before
  }
  return { wait, close: watch.close, commit: () => commit(), looksIn }
}

test('while nobody waits nothing is looked for, whatever is committed', async () => {
  const { commit, looksIn } = watched()
  commit()
  expect(await looksIn(10_000)).toBe(0)
})

test('while somebody waits, it is looked ten times a second, and sooner after a commit of the process', async () => {
  const { wait, close, commit, looksIn } = watched()
  const waiting = wait()
  expect(await looksIn(20)).toBe(1)
  expect(await looksIn(1000)).toBe(10)
  expect(await looksIn(50)).toBe(0)
  commit()
  expect(await looksIn(20)).toBe(1)
  close()
  expect(await waiting).toBe(false)
})

test('however much is committed, the looks keep their distance', async () => {
  const { wait, close, commit, looksIn } = watched()
  const waiting = wait()
  let looks = 0
  for (let milliseconds = 0; milliseconds < 1000; milliseconds++) {
    commit()
    looks += await looksIn(1)
  }
  expect(looks).toBeGreaterThan(40)
  expect(looks).toBeLessThanOrEqual(50)
  close()
  await waiting
})
