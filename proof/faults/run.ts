import { setTimeout as after } from 'node:timers/promises'
import { check, countCalls, type Violation } from '../check.ts'
import { readHistory } from '../history.ts'
import { openCompany } from '../messages.ts'
import { openRecorder, type RecordedRequest, type RecordedResponse, type Recorder } from '../recorder.ts'
import { references, startLoad } from '../workload.ts'
import { type BoundedFault, failovers, faultsOfClocks, faultsOfDisks, faultsOfTheNetwork } from './bounded.ts'
import { type Ground, openClockGround, openDiskGround, openNetworkGround } from './ground.ts'

/** A fault that was made under load, and the longest that it kept anyone waiting. */
export type Suffered = {
  fault: string
  answeredMs: number
  recoveredMs: number
  /** Calls that were under way while it lasted, and how many of them had no result. */
  calls: number
  failed: number
  /** What took longer than its bound. */
  late: string[]
}

export type FaultsRun = {
  seed: number
  seconds: number
  /** Calls that were checked. */
  calls: number
  suffered: Suffered[]
  /** What could not be tried on this machine. */
  untried: string[]
  violations: Violation[]
}

type Asked = {
  seed: number
  file: string
  /** Which grounds, and which faults of them; all if not given. */
  grounds?: readonly GroundName[]
  isChosen?: (fault: string) => boolean
  writers?: number
  onSuffered?: (one: Suffered) => void
  signal?: AbortSignal
}

const grounds = {
  network: { open: openNetworkGround, faults: faultsOfTheNetwork, followers: 1 },
  // A promoted standby begins a new epoch of the feed, whose followers are told to start anew.
  failover: { open: openNetworkGround, faults: failovers, followers: 0 },
  clock: { open: openClockGround, faults: faultsOfClocks, followers: 1 },
  disk: { open: openDiskGround, faults: faultsOfDisks, followers: 1 },
} as const
type Sort = { open: () => Promise<Ground | null>; faults: readonly BoundedFault<Ground>[]; followers: number }
export type GroundName = keyof typeof grounds

/** What a machine that is busy with something else adds at most. */
const busyMs = 4000

/** Makes each fault under load, one after the other, measures how long it keeps anyone waiting, and checks all that was heard. */
export async function makeFaults(asked: Asked): Promise<FaultsRun> {
  const since = performance.now()
  const done: FaultsRun = { seed: asked.seed, seconds: 0, calls: 0, suffered: [], untried: [], violations: [] }
  for (const name of asked.grounds ?? (Object.keys(grounds) as GroundName[])) {
    const { open, faults, followers } = grounds[name] as Sort
    const chosen = faults.filter((fault) => asked.isChosen?.(fault.name) ?? true)
    const ground = chosen.length > 0 && !asked.signal?.aborted ? await open() : null
    if (ground) await sufferAll(ground, chosen, { ...asked, followers }, done)
    else done.untried.push(...chosen.map((fault) => fault.name))
  }
  return { ...done, seconds: Math.round((performance.now() - since) / 1000) }
}

async function sufferAll(
  ground: Ground,
  faults: readonly BoundedFault<Ground>[],
  { seed, file, writers = 8, followers, onSuffered, signal }: Asked & { followers: number },
  done: FaultsRun,
): Promise<void> {
  const { service } = ground
  const { suffered, untried, violations } = done
  const recorder = openRecorder(service.url, file)
  const { watched, measure } = watch(recorder)
  try {
    const token = { name: 'a-0', text: await openCompany(service.give) }
    for (const line of references) recorder.write(line)
    const account = { id: '', name: 'a', token }
    const load = await startLoad({ recorder: watched, accounts: [account], seed, writers, followers })
    for (const fault of faults) {
      if (signal?.aborted) untried.push(fault.name)
      else {
        await after(1000)
        const one = await measure(fault, () => fault.make(ground))
        suffered.push(one)
        onSuffered?.(one)
      }
    }
    await load.finish()
  } finally {
    await recorder.close()
    await ground.close()
  }
  const history = await readHistory(file)
  done.calls += countCalls(history)
  violations.push(...check(history))
}

type Seen = { start: number; end: number; isWrite: boolean; isDone: boolean }

/** A recorder that also knows when calls begin and end. */
function watch(recorder: Recorder) {
  let seen: Seen[] = []
  const open = new Map<object, number>()
  const send = async (sent: RecordedRequest): Promise<RecordedResponse> => {
    const call = {}
    const start = performance.now()
    open.set(call, start)
    const heard = await recorder.send(sent)
    open.delete(call)
    // A long poll waits for as long as it asked to.
    const asked = Number(/[?&]wait=(\d+)/.exec(sent.path)?.[1] ?? 0) * 1000
    const isDone = heard.status !== null && heard.status < 500
    seen.push({ start: start + asked, end: performance.now(), isWrite: sent.method !== 'GET', isDone })
    return heard
  }

  async function measure({ name, bounds }: BoundedFault<Ground>, make: () => Promise<void>): Promise<Suffered> {
    const begun = performance.now()
    seen = []
    await make()
    const ended = performance.now()
    const firstOf = (isWrite: boolean): Seen | undefined =>
      seen.find((call) => call.isWrite === isWrite && call.isDone && call.end > ended)
    while ((!firstOf(true) || !firstOf(false)) && performance.now() < ended + 60_000) await after(20)
    const recovered = [firstOf(true), firstOf(false)].map((call) => (call ? call.end - ended : 60_000))
    const met = seen.filter(({ start }) => start < ended)
    const waits = [
      ...met.map(({ start, end }) => end - start),
      ...[...open.values()].map((at) => performance.now() - at),
    ]
    const answeredMs = Math.round(Math.max(0, ...waits))
    const recoveredMs = Math.round(Math.max(...recovered))
    const late = [
      ...(answeredMs > bounds.answeredMs + busyMs
        ? [`first answer after ${answeredMs} of ${bounds.answeredMs} ms`]
        : []),
      ...(recoveredMs > bounds.recoveredMs + busyMs ? [`back after ${recoveredMs} of ${bounds.recoveredMs} ms`] : []),
      ...(met.length === 0 && open.size === 0 ? [`met no call in ${Math.round(ended - begun)} ms`] : []),
    ]
    const failed = met.filter(({ isDone }) => !isDone).length
    return { fault: name, answeredMs, recoveredMs, calls: met.length, failed, late }
  }
  return { watched: { ...recorder, send }, measure }
}

/** Says what a run found, and whether all was as promised. */
export function judgeFaults({ suffered, untried, violations, seconds }: FaultsRun): {
  lines: string[]
  isWhole: boolean
} {
  const late = suffered.filter((one) => one.late.length > 0)
  return {
    lines: [
      ...late.flatMap((one) => one.late.map((what) => `LATE ${one.fault}: ${what}`)),
      ...violations.map(({ rule, places }) => `BROKEN ${rule}: ${places.length} places, ${places[0]}`),
      ...untried.map((name) => `NOT TRIED ${name}`),
      `${suffered.length} faults in ${seconds} s, ${late.length} beyond their bounds, ${violations.length} promises broken.`,
    ],
    isWhole: late.length + violations.length === 0,
  }
}

/** A line for a fault that was suffered. */
export const sayOf = ({ fault, answeredMs, recoveredMs, calls, failed }: Suffered): string =>
  `${fault}: first answer at most ${answeredMs} ms, back after ${recoveredMs} ms, ${failed} of ${calls} calls without a result`
