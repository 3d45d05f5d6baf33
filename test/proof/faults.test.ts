import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeFaults, makeFaults } from '../../proof/faults/run.ts'

const chosen = ['failover to the standby, led there a second before it takes over', 'EIO on flushing the log']

test('Where a synchronous standby takes over, and where the log cannot be flushed, nothing is lost.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-faults-'))
  try {
    const run = await makeFaults({
      ...{
        seed: 1,
        file: join(folder, 'history.jsonl'),
        grounds: ['early failover', 'files'],
        writers: 4,
        timesMax: 1,
      },
      isChosen: (fault) => chosen.includes(fault),
    })
    // How long it took is for `npm run torture -- --faults`: a machine with other work takes longer.
    expect(judgeFaults(run).lines.filter((line) => /^BROKEN|^LATE .* 500$/.test(line))).toEqual([])
    // Without a C compiler no call on a file can fail.
    expect([...run.suffered.map(({ fault }) => fault), ...run.untried]).toEqual(
      run.untried.length === 0 ? chosen : [chosen[0], `${chosen[1]}: no C compiler`],
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 300_000)
