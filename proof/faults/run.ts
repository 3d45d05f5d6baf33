import { setTimeout as after } from 'node:timers/promises'
import { check, countCalls, formatViolations, type Violation } from '../check.ts'
import { type History, readHistory } from '../history.ts'
import { operations } from '../operations.ts'
import { openRecorder, type RecordedRequest, type RecordedResponse, type Recorder } from '../recorder.ts'
import { addUp } from '../rounds.ts'
import { judgeLosable } from '../rules/keys.ts'
import { createCompany } from '../service.ts'
import { references, startLoad } from '../workload.ts'
import {
  type BoundedFault,
  earlyFailovers,
  failovers,
  faultsOfClocks,
  faultsOfCommands,
  faultsOfDisks,
  faultsOfFiles,
  faultsOfTheNetwork,
  laggingFailovers,
  returns,
} from './bounded.ts'
import { faultsOfCitus, openCitusGround } from './citus.ts'
import {
  type Ground,
  type Lacking,
  openClockGround,
  openCommandsGround,
  openDiskGround,
  openFilesGround,
  openLaggingGround,
  openNetworkGround,
  openRestoreGround,
} from './ground.ts'
import { killUpgrades, type UpgradeTrial } from './upgrade.ts'

/** A fault that was made under load, and the longest that it kept anyone waiting. */
export type Suffered = {
  fault: string
  answeredMs: number
  recoveredMs: number
  /** Calls that were under way while it lasted, and how many of them had no result. */
  calls: number
  failed: number
  /** The same calls by operation. */
  met: { [operation: string]: number }
  /** How often it was made. */
  times: number
  /** What took longer than its bound, or was not as the fault asks. */
  late: string[]
  /** Where the last that was answered may be lost: what was lost. */
  loss?: LossSuffered
}

/** The last that was answered, and is lost as was said before. */
export type LossSuffered = {
  from: number
  to: number
  /** Writes that were answered in that time, how many of them are gone, and how many calls sent again under their keys were run again. */
  answered: number
  lost: number
  sentAgain: number
  runAgain: number
}

export type FaultsRun = {
  seed: number
  seconds: number
  /** Calls that were checked. */
  calls: number
  suffered: Suffered[]
  /** What could not be tried, and why. */
  untried: string[]
  violations: Violation[]
  upgrades: UpgradeTrial[]
}

type Asked = {
  seed: number
  file: string
  /** Which grounds, and which faults of them; all if not given. */
  grounds?: readonly GroundName[]
  isChosen?: (fault: string) => boolean
  /** Whether upgrades are killed, too. */
  hasUpgrades?: boolean
  writers?: number
  /**
   * A fault is made again until it has met each operation, but not more often than this. Half of all that is called
   * meanwhile is what it has not met.
   */
  timesMax?: number
  /** What the faults of a ground did on the grounds before it. */
  before?: readonly Suffered[]
  onSuffered?: (one: Suffered) => void
  signal?: AbortSignal
}

const grounds = {
  network: { open: openNetworkGround, faults: faultsOfTheNetwork },
  failover: { open: openNetworkGround, faults: failovers, isOnce: true },
  'early failover': { open: openNetworkGround, faults: earlyFailovers, isOnce: true },
  'failover with loss': { open: openLaggingGround, faults: laggingFailovers, isOnce: true },
  restore: { open: openRestoreGround, faults: returns, isOnce: true },
  clock: { open: openClockGround, faults: faultsOfClocks },
  disk: { open: openDiskGround, faults: faultsOfDisks },
  files: { open: openFilesGround, faults: faultsOfFiles },
  commands: { open: openCommandsGround, faults: faultsOfCommands },
  citus: { open: openCitusGround, faults: faultsOfCitus },
} as const
/** On a ground that is once, a fault leaves another ground behind, such as a standby that has taken over. */
type Sort = { open: () => Promise<Ground | Lacking>; faults: readonly BoundedFault<Ground>[]; isOnce?: boolean }
export type GroundName = keyof typeof grounds

/** Those that need no cluster. */
const plainGrounds = (Object.keys(grounds) as GroundName[]).filter((name) => name !== 'citus')

/**
 * Returns how many messages a call takes at most, as `npm run torture -- --messages` counts them: the operations of a series
 * are done one after the other.
 */
function countMessages({ body }: RecordedRequest): number {
  const { mode, operations = [] } = (body ?? {}) as { mode?: string; operations?: readonly unknown[] }
  return mode === 'each' ? 2 + 3 * operations.length : 14
}

/** What a machine that is busy with something else adds at most. */
const busyMs = 4000

/** How often a fault is made on one ground, and on how many grounds, for an operation that it does not meet. */
const faultsMax = 12
const groundsMax = 6

/** Makes each fault under load, one after the other, measures how long it keeps anyone waiting, and checks all that was heard. */
export async function makeFaults(asked: Asked): Promise<FaultsRun> {
  const since = performance.now()
  const done: FaultsRun = {
    seed: asked.seed,
    seconds: 0,
    calls: 0,
    suffered: [],
    untried: [],
    violations: [],
    upgrades: [],
  }
  for (const name of asked.grounds ?? plainGrounds) {
    const { open, faults, isOnce = false } = grounds[name] as Sort
    const chosen = faults.filter((fault) => asked.isChosen?.(fault.name) ?? true)
    if (chosen.length > 0) done.suffered.push(...(await sufferOn(open, chosen, isOnce, asked, done)))
  }
  if (asked.hasUpgrades && !asked.signal?.aborted) done.upgrades.push(...(await killUpgrades(asked.seed)))
  return { ...done, seconds: Math.round((performance.now() - since) / 1000) }
}

/** Makes the faults of a ground; where they can be made once, on one ground after the other until each operation is met. */
async function sufferOn(
  open: Sort['open'],
  faults: readonly BoundedFault<Ground>[],
  isOnce: boolean,
  asked: Asked,
  done: FaultsRun,
): Promise<Suffered[]> {
  let suffered: Suffered[] = []
  for (let times = 0; times < (isOnce ? (asked.timesMax ?? groundsMax) : 1); times++) {
    const ground = asked.signal?.aborted ? { lacks: 'ended before' } : await open()
    if ('lacks' in ground) {
      if (times === 0) done.untried.push(...faults.map((fault) => `${fault.name}: ${ground.lacks}`))
      break
    }
    const again = isOnce ? { ...asked, timesMax: 1, seed: asked.seed + times, before: suffered } : asked
    const own = await sufferAll(ground, faults, again, done)
    const added = own.map((one, place) => (suffered[place] ? addTogether(suffered[place], one) : one))
    suffered = [...added, ...suffered.slice(own.length)]
    if (suffered.every((one) => findUnmet(one).length === 0)) break
  }
  return suffered
}

async function sufferAll(
  ground: Ground,
  faults: readonly BoundedFault<Ground>[],
  { seed, file, writers = 8, timesMax = faultsMax, before = [], onSuffered, signal }: Asked,
  done: FaultsRun,
): Promise<Suffered[]> {
  const { service } = ground
  const { untried, violations } = done
  const recorder = openRecorder(service.url, file)
  const { watched, measure } = watch(recorder)
  const own: Suffered[] = []
  let unmet: readonly string[] = []
  try {
    const token = { name: 'a-0', text: (await createCompany(service.give)).token }
    for (const line of references) recorder.write(line)
    const account = { id: '', name: 'a', token }
    const rare = () => unmet
    const load = await startLoad({ recorder: watched, accounts: [account], seed, writers, followers: 1, rare })
    for (const [place, fault] of faults.entries()) {
      if (signal?.aborted) untried.push(`${fault.name}: ended before`)
      else {
        let one: Suffered | undefined
        unmet = before[place] ? findUnmet(before[place]) : []
        while (!one || (unmet.length > 0 && one.times < timesMax && !signal?.aborted)) {
          await after(1000)
          const again = await measure(fault, ground)
          one = one ? addTogether(one, again) : again
          unmet = findUnmet(one)
        }
        own.push(one)
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
  for (const { loss, late } of own) {
    if (!loss) continue
    countLost(history, loss)
    if (loss.lost === 0 || loss.runAgain === 0) late.push('nothing was lost, so that nothing was tried')
  }
  violations.push(...check(history))
  return own
}

/** Returns the operations of the load that a fault has not met. */
export const findUnmet = ({ met }: Pick<Suffered, 'met'>): string[] =>
  Object.keys(operations).filter((operation) => !met[operation])

/** Returns what a fault did that was made twice. */
const addTogether = (one: Suffered, again: Suffered): Suffered => ({
  ...(addUp(one, again) as Suffered),
  answeredMs: Math.max(one.answeredMs, again.answeredMs),
  recoveredMs: Math.max(one.recoveredMs, again.recoveredMs),
})

function countLost(history: History, loss: LossSuffered): void {
  for (const company of history.companies) {
    const { lost, there } = judgeLosable(company, loss)
    loss.answered += lost.length + there.length
    loss.lost += lost.length
  }
}

type Seen = {
  start: number
  end: number
  isWrite: boolean
  isDone: boolean
  status: number | null
  sent: RecordedRequest
}

/** How many calls are sent again whose effect is lost. */
const sentAgainMax = 20

/** A recorder that also knows when calls begin and end. */
function watch(recorder: Recorder) {
  let seen: Seen[] = []
  const open = new Map<RecordedRequest, number>()
  const send = async (sent: RecordedRequest): Promise<RecordedResponse> => {
    // One of its own: callers send the same request again.
    const call = { ...sent }
    const start = performance.now()
    open.set(call, start)
    const heard = await recorder.send(call)
    open.delete(call)
    // A long poll waits for as long as it asked to.
    const asked = Number(/[?&]wait=(\d+)/.exec(sent.path)?.[1] ?? 0) * 1000
    const isDone = heard.status !== null && heard.status < 500
    seen.push({
      start: start + asked,
      end: performance.now(),
      isWrite: sent.method !== 'GET',
      isDone,
      status: heard.status,
      sent,
    })
    return heard
  }

  /** Sends again the last creates of a time under their keys: what is lost is run again, and the rest replayed. */
  async function sendAgain(from: number, to: number): Promise<LossSuffered> {
    recorder.write({ kind: 'lost', from, to })
    const creates = seen.filter(
      ({ end, sent, isDone }) =>
        isDone && end > from && end < to && sent.path === '/v1/clients' && sent.key !== undefined,
    )
    let runAgain = 0
    const again = [...new Map(creates.map(({ sent }) => [sent.key, sent])).values()].slice(-sentAgainMax)
    for (const sent of again) {
      const { status, replayed } = await recorder.send(sent)
      if (status === 201 && !replayed) runAgain++
    }
    return { ...{ from, to, answered: 0, lost: 0 }, sentAgain: again.length, runAgain }
  }

  async function measure({ name, bounds, make }: BoundedFault<Ground>, ground: Ground): Promise<Suffered> {
    const begun = performance.now()
    seen = []
    let lost: { from: number; to: number } | undefined
    const wrong = await make(ground, (from, to) => {
      lost = { from, to }
    }).then(
      () => [],
      (error: Error) => [error.message],
    )
    const ended = performance.now()
    const firstOf = (isWrite: boolean): Seen | undefined =>
      seen.find((call) => call.isWrite === isWrite && call.isDone && call.end > ended)
    while ((!firstOf(true) || !firstOf(false)) && performance.now() < ended + 60_000) await after(20)
    const recovered = [firstOf(true), firstOf(false)].map((call) => (call ? call.end - ended : 60_000))
    const met = seen.filter(({ start }) => start < ended)
    const waits = [
      ...met.map(({ start, end, sent }) => ({ ms: end - start, sent })),
      ...[...open].map(([sent, at]) => ({ ms: performance.now() - at, sent })),
    ]
    const { messageMs = 0 } = bounds
    const overdue = waits.filter(({ ms, sent }) => ms > bounds.answeredMs + messageMs * countMessages(sent) + busyMs)
    const answeredMs = Math.round(Math.max(0, ...waits.map(({ ms }) => ms)))
    const recoveredMs = Math.round(Math.max(...recovered))
    const late = [
      ...wrong,
      ...overdue.map(
        ({ ms, sent }) =>
          `first answer to ${sent.operation} after ${Math.round(ms)} of ${bounds.answeredMs + messageMs * countMessages(sent)} ms`,
      ),
      ...(recoveredMs > bounds.recoveredMs + busyMs ? [`back after ${recoveredMs} of ${bounds.recoveredMs} ms`] : []),
      ...(met.length === 0 && open.size === 0 ? [`met no call in ${Math.round(ended - begun)} ms`] : []),
    ]
    const unexplained = met.filter(({ status }) => status === 500)
    if (unexplained.length > 0) late.push(`${unexplained.length} calls were answered 500`)
    const failed = met.filter(({ isDone }) => !isDone).length
    const byOperation: Suffered['met'] = {}
    for (const { operation } of [...met.map(({ sent }) => sent), ...open.keys()])
      byOperation[operation] = (byOperation[operation] ?? 0) + 1
    const counts = { calls: met.length, failed, met: byOperation, times: 1 }
    const suffered = { fault: name, answeredMs, recoveredMs, ...counts, late }
    return lost ? { ...suffered, loss: await sendAgain(lost.from, lost.to) } : suffered
  }
  return { watched: { ...recorder, send }, measure }
}

/** Says what a run found, and whether all was as promised. */
export function judgeFaults(run: FaultsRun): { lines: string[]; isWhole: boolean } {
  const { suffered, untried, violations, seconds, upgrades } = run
  const wrong = upgrades.flatMap(({ version, wrong }) => wrong.map((what) => `WRONG upgrade from ${version}: ${what}`))
  const late = suffered.filter((one) => one.late.length > 0)
  const unmet = suffered.flatMap((one) =>
    findUnmet(one).map((operation) => `NEVER MET in ${one.times} times: ${one.fault}, ${operation}`),
  )
  return {
    lines: [
      ...late.flatMap((one) => one.late.map((what) => `LATE ${one.fault}: ${what}`)),
      ...formatViolations(violations),
      ...untried.map((what) => `NOT TRIED ${what}`),
      ...unmet,
      ...sayLosses(run),
      ...wrong,
      ...upgrades.map(
        ({ version, doneAtKills, migrations, rows, reads, replays }) =>
          `The upgrade from ${version} was killed ${doneAtKills.length} times, when ${doneAtKills.join(', ')} of ${migrations} migrations were done: ${rows} rows, ${reads} reads and ${replays} retries were as before.`,
      ),
      `${suffered.length} faults in ${seconds} s, ${late.length} beyond their bounds, ${violations.length} promises broken.`,
    ],
    isWhole: late.length + violations.length + wrong.length + unmet.length === 0,
  }
}

/** A line for a fault that was suffered. */
export const sayOf = ({ fault, answeredMs, recoveredMs, calls, failed }: Suffered): string =>
  `${fault}: first answer at most ${answeredMs} ms, back after ${recoveredMs} ms, ${failed} of ${calls} calls without a result`

/** Says of each fault that may lose the last that was answered what was lost. */
const sayLosses = ({ suffered }: FaultsRun): string[] =>
  suffered.flatMap(({ fault, loss }) =>
    loss
      ? `Lost by the ${fault}: the last ${loss.lost} of ${loss.answered} writes that were answered in ${Math.round(loss.to - loss.from)} ms; of ${loss.sentAgain} calls sent again under their keys ${loss.runAgain} were run again.`
      : [],
  )
