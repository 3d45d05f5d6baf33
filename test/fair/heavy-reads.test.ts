import { describe, expect, test } from 'vitest'
import { openHeavyReads } from '#server/store/heavy-reads.ts'
import type { Statement } from '#sql/statement.ts'
import { pause } from '../stage/wait.ts'

/** A database whose statements end when the test says so. */
function makeDatabase(longestWaitMs = 60_000) {
  const heavy = openHeavyReads(longestWaitMs)
  const running: { text: string; end(rows?: unknown[]): void; fail(error: Error): void }[] = []
  const read = (heavyOf: number, text: string, values: unknown[] = []) => {
    const statement: Statement = { text, values, heavyOf }
    const ask = () =>
      new Promise<unknown[]>((resolve, reject) => {
        const one = {
          text,
          end: (rows: unknown[] = [text]) => leave(() => resolve(rows)),
          fail: (error: Error) => leave(() => reject(error)),
        }
        const leave = (settle: () => void): void => {
          running.splice(running.indexOf(one), 1)
          settle()
        }
        running.push(one)
      })
    return heavy.run(statement, ask)
  }
  return { read, running, waiting: heavy.waiting, texts: () => running.map(({ text }) => text) }
}

describe('Heavy reads', () => {
  test('run two at a time for one company, in the order of arrival, and beside those of another company', async () => {
    const { read, running, texts, waiting } = makeDatabase()
    const answers = ['a', 'b', 'c', 'd'].map((text) => read(1, text))
    const other = read(2, 'e')
    expect(texts()).toEqual(['a', 'b', 'e'])
    expect(waiting()).toBe(2)
    running[0]?.end()
    await answers[0]
    await pause(0)
    expect(texts()).toEqual(['b', 'e', 'c'])
    while (running.length > 0) {
      running[0]?.end()
      await pause(0)
    }
    expect(await Promise.all([...answers, other])).toEqual([['a'], ['b'], ['c'], ['d'], ['e']])
    expect(waiting()).toBe(0)
  })

  test('that are equal and wait are answered by one statement, and never by one that has begun', async () => {
    const { read, running, texts } = makeDatabase()
    const begun = [read(1, 'a'), read(1, 'a')]
    const equal = [read(1, 'a'), read(1, 'a'), read(1, 'a', ['other'])]
    expect(texts()).toEqual(['a', 'a'])
    running[0]?.end(['before'])
    running[0]?.end(['before'])
    expect(await Promise.all(begun)).toEqual([['before'], ['before']])
    await pause(0)
    expect(texts()).toEqual(['a', 'a'])
    running[0]?.end(['after'])
    running[0]?.end(['with another value'])
    expect(await Promise.all(equal)).toEqual([['after'], ['after'], ['with another value']])
  })

  test('that fail tell all who wait for them, and leave their place', async () => {
    const { read, running, texts } = makeDatabase()
    const first = [read(1, 'a'), read(1, 'b')]
    const next = [read(1, 'c'), read(1, 'c')]
    for (const one of [...running]) one.fail(new Error('the statement took too long'))
    for (const one of first) await expect(one).rejects.toThrow('took too long')
    await pause(0)
    expect(texts()).toEqual(['c'])
    running[0]?.fail(new Error('lost'))
    for (const one of next) await expect(one).rejects.toThrow('lost')
  })

  test('that wait longer than a statement may take are refused as unavailable, and the others go on', async () => {
    const { read, running, waiting, texts } = makeDatabase(40)
    const first = [read(1, 'a'), read(1, 'b')]
    await expect(read(1, 'c')).rejects.toMatchObject({ name: 'Fault', code: 'unavailable' })
    expect(waiting()).toBe(0)
    const next = read(1, 'd')
    running[0]?.end()
    await pause(0)
    expect(texts()).toEqual(['b', 'd'])
    for (const one of [...running]) one.end()
    expect(await Promise.all([...first, next])).toEqual([['a'], ['b'], ['d']])
  })
})
