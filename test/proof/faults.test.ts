import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeFaults, makeFaults } from '../../proof/faults/run.ts'

test('Where the network fails, and where a synchronous standby takes over, nothing is lost.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-faults-'))
  try {
    const run = await makeFaults({
      ...{ seed: 1, file: join(folder, 'history.jsonl'), grounds: ['failover'], writers: 4 },
    })
    // How long it took is for `npm run torture -- --faults`: a machine with other work takes longer.
    expect(judgeFaults(run).lines.filter((line) => /^(BROKEN|NOT TRIED)/.test(line))).toEqual([])
    expect(run.suffered.map(({ fault }) => fault)).toEqual(['network reset', 'failover to the standby'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 300_000)
