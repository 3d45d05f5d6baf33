import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../stage/wait.ts'
import { type Fault, listBroken, suffer } from './liveness/fault.ts'
import { faultsOfProcesses } from './liveness/faults-of-processes.ts'
import { faultsOfTheNetwork } from './liveness/faults-of-the-network.ts'
import {
  type BundledTarget,
  type NetworkTarget,
  openBundledTarget,
  openNetworkTarget,
  type Target,
} from './liveness/targets.ts'

/**
 * Each row makes a fault for real under load and compares what callers measured with the promises of
 * docs/reliability/liveness.md: the first answer, the key settled, the feed and a revocation not held, the service back by
 * itself in the same process, nothing lost or done twice.
 */
async function expectPromisesKept<On extends Target>(target: On, fault: Fault<On>): Promise<void> {
  const seen = await suffer(target, fault)
  if (process.env.SHOW_WAITS) console.log(`${fault.title}: ${JSON.stringify(seen)}`)
  expect(listBroken(fault, seen)).toEqual([])
  expect(seen.acknowledged).toBeGreaterThan(0)
}

describe.each(['1', '2'])(
  'With %s at work on the bundled PostgreSQL the service is back by itself when',
  (processes) => {
    let target: BundledTarget
    beforeAll(async () => {
      target = await openBundledTarget(processes)
    })
    afterAll(() => target.close())

    test.each(faultsOfProcesses)(
      '$title',
      async (fault) => {
        const before = await target.starts()
        await expectPromisesKept(target, fault)
        await target.postmaster()
        await eventually(async () => expect((await target.starts()) > before).toBe(fault.isGone))
      },
      60_000,
    )
  },
)

describe('Over a network the service keeps its promises when', () => {
  const count = 3
  let free: NetworkTarget[]
  const waiting: ((target: NetworkTarget) => void)[] = []
  beforeAll(async () => {
    free = await Promise.all(Array.from({ length: count }, openNetworkTarget))
  })
  afterAll(() => Promise.all(free.map((target) => target.close())))

  const take = (): Promise<NetworkTarget> => {
    const target = free.pop()
    return target ? Promise.resolve(target) : new Promise((resolve) => waiting.push(resolve))
  }
  const giveBack = (target: NetworkTarget): void => {
    const next = waiting.shift()
    if (next) next(target)
    else free.push(target)
  }

  test.concurrent.each(faultsOfTheNetwork)(
    '$title',
    async (fault) => {
      const target = await take()
      try {
        await expectPromisesKept(target, fault)
      } finally {
        giveBack(target)
      }
    },
    120_000,
  )
})
