import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { measureFresh, sizesOf, worksOf } from '../../bench/fresh/fresh.ts'
import { autoanalyzeSentence, compare, freshPanels, freshTable } from '../../bench/fresh/report.ts'
import type { WorkResult } from '../../bench/fresh/works.ts'
import { timesPicture } from '../../bench/picture/times.ts'
import { dataFolder } from '../../bench/postgres.ts'
import { createProgress } from '../../bench/progress.ts'

const measured = (work: WorkResult['work'], perSecond: number, entries: number): WorkResult => ({
  ...{ work, perSecond, entries, rows: entries + 1, p50: 1, p99: 2.25 },
})

describe('a fresh installation beside an analysed one', () => {
  const steps = [
    { records: 1000, seconds: 3, works: [measured('fetch', 900, 4), measured('create-keyed', 300, 2078.4)] },
    { records: 2000, seconds: 9, works: [measured('fetch', 1000, 4), measured('create-keyed', 200, 4078.1)] },
  ]
  const loaded = [1000, 2000].map((records) => ({
    records,
    works: [measured('create-keyed', 1000, 14), measured('fetch', 1000, 4)],
  }))
  const compared = compare({ steps }, loaded)

  test('is judged work by work, size by size', () => {
    expect(compared.map(({ work, records, ratio, met }) => [work, records, ratio, met])).toEqual([
      ['create-keyed', 1000, 0.3, false],
      ['fetch', 1000, 0.9, true],
      ['create-keyed', 2000, 0.2, false],
      ['fetch', 2000, 1, true],
    ])
  })

  test('stands in a table by work, and in a picture', () => {
    const lines = freshTable(compared).split('\n')
    expect(lines[3]).toMatch(
      /^create-keyed +2,000 +200 +1,000 +0\.20 +✗ ≥ 0\.8 +2\.3 \/ 2\.3 +4,078\.1 \/ 14\.0 +4,079\.1 /,
    )
    expect(lines[4]).toMatch(/^fetch +1,000 +900 +1,000 +0\.90 +✓ ≥ 0\.8 /)
    const picture = timesPicture('A new installation', 'records', freshPanels(compared))
    expect(picture).toMatch(/create-keyed, a second/)
    expect(picture).not.toMatch(/NaN|undefined|Infinity/)
  })

  test('says when PostgreSQL analysed it by itself', () => {
    expect(autoanalyzeSentence([])).toMatch(/did not analyse/)
    expect(autoanalyzeSentence([{ seconds: 57.4, records: 3270 }])).toMatch(/by itself after 57 s, at 3,270 records\.$/)
  })

  test('grows from size to size, and to none at which a page is not full', () => {
    expect(sizesOf([5000, 1000, 5000])).toEqual([1000, 5000])
    expect(() => sizesOf([1000, 399])).toThrow(/from 400 to 500,000/)
    expect(() => sizesOf([1_000_000])).toThrow(/--records/)
    expect(worksOf(['q', 'fetch'])).toEqual(['fetch', 'q'])
    expect(() => worksOf(['q', 'delete-dry-run'])).toThrow(/--fresh measures create-keyed, /)
  })
})

test('It really grows, works are measured on both, what calls read is counted, and nothing is left.', async () => {
  const closing: (() => Promise<void>)[] = []
  const leave = async (): Promise<void> => {
    for (let close = closing.pop(); close; close = closing.pop()) await close().catch(() => {})
  }
  onTestFinished(leave)
  // Those that find what was made on the way.
  const works = ['create-keyed', 'filtered', 'q'] as const
  const { grown, loaded } = await measureFresh({ works, connections: [4], seconds: 0.1 }, [400], {
    progress: createProgress({ write: () => {} }),
    onLeave: (close) => void closing.push(close),
  })

  const compared = compare(grown, loaded)
  expect(compared.map(({ work }) => work)).toEqual(works)
  for (const { work, fresh, analysed } of compared) {
    for (const { perSecond, entries, rows } of [fresh, analysed]) {
      expect(perSecond, work).toBeGreaterThan(0)
      // A token, an account, a company and what is asked for: less means that counts were read before they were there.
      expect(entries, work).toBeGreaterThan(2)
      expect(rows, work).toBeGreaterThan(2)
    }
  }
  expect(grown.steps.map(({ records }) => records)).toEqual([400])
  expect(loaded.map(({ records }) => records)).toEqual([400])
  await leave()
  await expect(access(join(dirname(dataFolder), `fresh-${process.pid}`))).rejects.toThrow('ENOENT')
})
