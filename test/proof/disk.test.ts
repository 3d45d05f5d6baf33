import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeDisk, tryDisk } from '../../proof/disk/run.ts'

test('A disk that loses what it had not promised to keep loses no answered write, and nothing is answered from a page that it has changed.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-lost-writes-'))
  try {
    const attempt = async (seed: number) => {
      const run = await tryDisk({
        cuts: 2,
        flips: 1,
        seed,
        folder: await mkdtemp(join(folder, 'run-')),
        restoreEvery: 1,
      })
      expect(judgeDisk(run).lines.filter((line) => /^(BROKEN|WRONG)/.test(line))).toEqual([])
      return run
    }
    const hasAnswered = ({ cuts }: Awaited<ReturnType<typeof tryDisk>>): boolean =>
      cuts.some(({ acknowledged }) => acknowledged > 0)
    let run = await attempt(1)
    // Where a cut falls is drawn, and a drawn place may be before the first answer.
    for (let seed = 2; seed <= 4 && !hasAnswered(run); seed++) run = await attempt(seed)
    expect(run.cuts).toHaveLength(2)
    expect(hasAnswered(run)).toBe(true)
    // The same trial on a disk that has lost what it promised: if this were not found, the others would prove nothing.
    expect(run.lies.map(({ violations }) => violations.map(({ rule }) => rule))).toEqual([
      expect.arrayContaining(['nothing lost']),
    ])
    expect(run.flips).toHaveLength(1)
    expect(run.flips[0]?.mended).toBe(true)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 600_000)
