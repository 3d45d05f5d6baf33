import { setTimeout as after } from 'node:timers/promises'
import { pickOf } from './draw.ts'
import type { RecordedRequest, Recorder } from './recorder.ts'
import { type Service, signal } from './service.ts'

/** A way in which something that callers stand on fails. */
export type Fault = {
  name: string
  isKill?: true
  /** Resolves when it is over. One that kills calls `onKill` when that is done. */
  make(service: Service, draw: () => number, onKill?: () => void): Promise<void>
}

const stopFor = async (pid: number, milliseconds: number): Promise<void> => {
  signal(pid, 'SIGSTOP')
  await after(milliseconds)
  signal(pid, 'SIGCONT')
}

function kill(pid: number | undefined, onKill?: () => void): void {
  if (pid === undefined) return
  signal(pid, 'SIGKILL')
  onKill?.()
}

export const faults: readonly Fault[] = [
  {
    name: 'service killed',
    isKill: true,
    make: async (service, _, onKill) => {
      const gone = service.kill()
      onKill?.()
      await gone
      await service.start()
    },
  },
  { name: 'service stopped for 1 s', make: (service) => stopFor(service.pid(), 1000) },
  {
    name: 'sessions of PostgreSQL ended',
    make: async (service) => {
      for (const pid of await service.backends()) signal(pid, 'SIGTERM')
    },
  },
  {
    name: 'one session of PostgreSQL killed',
    isKill: true,
    make: async (service, draw, onKill) => kill(pickOf(await service.backends(), draw), onKill),
  },
  {
    name: 'sessions of PostgreSQL stopped for 1 s',
    make: async (service) => {
      await Promise.all((await service.backends()).map((pid) => stopFor(pid, 1000)))
    },
  },
  {
    name: 'postmaster killed',
    isKill: true,
    make: async (service, _, onKill) => kill(await service.postmaster().catch(() => undefined), onKill),
  },
  {
    name: 'background process of PostgreSQL killed',
    isKill: true,
    make: async (service, draw, onKill) => kill(pickOf(await service.background(), draw), onKill),
  },
]

/** How often each fault, alone or with another, met each operation. */
export type FaultCounts = Map<string, Map<string, number>>

/** Makes a fault, or two at once, and counts the calls that were under way meanwhile. */
export async function suffer(chosen: readonly Fault[], { service, recorder, draw, met }: FaultContext): Promise<void> {
  const name = chosen.map((fault) => fault.name).join(' + ')
  await untilReady(service)
  countMet(met, name, await recorder.during(() => Promise.all(chosen.map(({ make }) => make(service, draw)))))
}

export function countMet(met: FaultCounts, fault: string, calls: Iterable<RecordedRequest>): void {
  const counts = met.get(fault) ?? new Map<string, number>()
  met.set(fault, counts)
  for (const { operation } of calls) counts.set(operation, (counts.get(operation) ?? 0) + 1)
}

/** Waits until callers are answered, so that a fault meets calls and no other fault; not for ever. */
async function untilReady({ url }: Service): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.status === 200) break
    await after(100)
  }
  await after(300)
}

export type FaultContext = { service: Service; recorder: Recorder; draw: () => number; met: FaultCounts }
