import { setTimeout as after } from 'node:timers/promises'
import { check, countCalls, countChanges, type Violation } from './check.ts'
import { drawer, shuffle } from './draw.ts'
import { type Fault, type FaultCounts, faults, suffer } from './faults.ts'
import { readHistory } from './history.ts'
import { type Kill, type KillMoment, killOne, longestUnsettled, measureKills } from './kills.ts'
import { hopMsMax, type Network, openNetwork } from './network.ts'
import { operations } from './operations.ts'
import { alternate, openRecorder, type Recorder } from './recorder.ts'
import { createCompany, type Service, startBeside, startService } from './service.ts'
import { countTrials } from './trials.ts'
import { type Account, openReceiver, receivedRecords, references, startLoad } from './workload.ts'

export type RunRequest = {
  /** Seconds of load, after each of which all is checked; one more follows while `isEnough` says no. */
  rounds: readonly number[]
  isEnough?: (violations: readonly Violation[]) => boolean
  seed: number
  /** Where the history is written. */
  file: string
  /** Milliseconds from one fault to the next; without it there are none. */
  faultEveryMs?: number
  /** Kills so many times, as soon as callers are answered again; the run ends with the last. */
  kills?: number
  /** The checkout whose service is run. */
  checkout?: string
  writers?: number
  /** Ends the run when it is aborted, with what there is. */
  signal?: AbortSignal
  /** Hears each second of what was done. */
  onProgress?: (done: { seconds: number; calls: number; faults: number }) => void
}

export type Outcome = {
  calls: number
  unanswered: number
  changes: number
  seconds: number
  faults: number
  rotations: number
  met: { [fault: string]: { [operation: string]: number } }
  kills: Kill[]
  /** The longest that callers needed to settle a key, in milliseconds, of each round. */
  longestUnsettledMs: number[]
  trials: { [rule: string]: number }
  violations: Violation[]
}

/** After so many failed rotations in a row no more is tried. */
const failuresMost = 30

/** Runs a service under load and faults, writes the history, and checks it. */
export async function run(asked: RunRequest): Promise<Outcome> {
  const { rounds, isEnough = () => true, seed, file, faultEveryMs, kills, checkout } = asked
  const { writers = 16, signal, onProgress } = asked
  const since = performance.now()
  const draw = drawer(seed)
  const service = await startService(checkout)
  // A kill is followed by the answers of the service that was killed alone.
  const far = kills === undefined ? await openFar(service) : undefined
  const recorder = alternate(openRecorder(service.url, file), [service.url, ...(far ? [far.url] : [])])
  const receiver = await openReceiver(recorder.write, drawer(seed + 1))
  const met: FaultCounts = new Map()
  let chosen = schedule(draw)
  let made = 0
  const killed: KillMoment[] = []
  let rotations = 0
  let violations: Violation[] | null = null

  const makeFaults = async (isOver: () => boolean): Promise<void> => {
    if (faultEveryMs === undefined) return
    for (; !isOver(); made++) {
      await after(faultEveryMs * (0.5 + draw()))
      const [next, ...rest] = chosen
      chosen = rest.length > 0 ? rest : schedule(draw)
      if (next) await suffer(next, { service, recorder, draw, met })
    }
  }
  const keepKilling = async (isOver: () => boolean): Promise<void> => {
    if (kills === undefined) return
    // PostgreSQL recovers in a tenth of the time where it need not open each of its files for that.
    await service.setInPostgres('recovery_init_sync_method', 'syncfs')
    while (!isOver()) {
      const kill = await killOne({ service, recorder, draw, met }, isOver)
      if (kill) made = killed.push(kill)
    }
  }
  const rotate = async (account: OwnAccount, isOver: () => boolean): Promise<void> => {
    const pauseMs = kills === undefined ? 2000 : 10_000
    let failures = 0
    while (!isOver() || (failures > 0 && failures < failuresMost)) {
      const former = account.token
      const text = await service.give('--quiet', 'token', 'rotate', '--company', account.id).catch(() => null)
      // Whether a rotation that failed was done is what the next one finds out, also at the end: callers need a token.
      failures = text === null ? failures + 1 : 0
      if (text !== null) {
        recorder.write({ kind: 'revoked', token: former.name, at: performance.now() })
        account.token = { name: `${account.name}-${++rotations}`, text }
        for (const token of [former, former])
          await recorder.send({ operation: 'revoked token', company: 'a', token, method: 'GET', path: '/v1/clients' })
      }
      const until = performance.now() + (failures > 0 ? 1000 : pauseMs)
      while (performance.now() < until && !(failures === 0 && isOver())) await after(100)
    }
  }
  try {
    const accounts = await openAccounts(service, recorder, receiver.addressOf)
    const load = await startLoad({ recorder, accounts, seed, writers, followers: 2, receiver })
    for (const [place, seconds] of rounds.entries()) {
      if (place > 0) load.goOn()
      const until = performance.now() + seconds * 1000
      const isOver = (): boolean => performance.now() >= until || made === kills || signal?.aborted === true
      const untilOver = async (): Promise<void> => {
        for (let ticks = 1; !isOver(); ticks++) {
          await after(100)
          if (ticks % 10 === 0) onProgress?.({ seconds: ticks / 10, calls: recorder.counts.calls, faults: made })
        }
      }
      await Promise.all([
        ...[makeFaults(isOver), keepKilling(isOver)],
        ...[rotate(accounts[0] as OwnAccount, isOver), untilOver()],
      ])
      const end = await load.hearEnd()
      if (signal?.aborted || place === rounds.length - 1) break
      await recorder.flush()
      violations = check(await readHistory(file, end))
      if (isEnough(violations)) break
      violations = null
    }
    await load.finish()
  } finally {
    await recorder.close()
    await receiver.close()
    await far?.close()
    await service.close()
  }
  const history = await readHistory(file)
  return {
    ...{ calls: countCalls(history), unanswered: recorder.counts.unanswered },
    changes: countChanges(history),
    ...{ seconds: Math.round((performance.now() - since) / 1000), faults: made, rotations },
    met: Object.fromEntries([...met].map(([fault, counts]) => [fault, Object.fromEntries(counts)])),
    kills: measureKills(killed, history),
    longestUnsettledMs: [longestUnsettled(history)],
    trials: countTrials(history),
    violations: violations ?? check(history),
  }
}

/** Starts a second process of the service, which comes to the database by a hop of TCP. */
async function openFar(service: Service): Promise<{ url: string; close(): Promise<void> }> {
  let network: Network | undefined
  const beside = await startBeside(
    service,
    async ({ socket, user, password, database }) => {
      network = await openNetwork(socket, () => hopMsMax * Math.random())
      return `postgres://${user}:${password}@127.0.0.1:${network.port}/${database}`
    },
    farSettings,
  )
  return {
    url: beside.url,
    async close() {
      await beside.close()
      await network?.close()
    },
  }
}

/** As for the first process: faults are short. */
const farSettings = {
  ...{ STATEMENT_TIMEOUT_MS: '3000', CONNECT_TIMEOUT_MS: '800', ANSWER_TARGET_MS: '5000' },
  ...{ WEBHOOK_NETWORKS: '127.0.0.1/32', WEBHOOK_RETRY_SECONDS: '1', WEBHOOK_TIMEOUT_MS: '2000' },
}

/** How often each fault, alone or with another, met each operation; the rarest pair first. */
export function pairsOf(met: Outcome['met']): { fault: string; operation: string; count: number }[] {
  const made = Object.entries(met)
  return faults
    .flatMap(({ name: fault }) =>
      Object.keys(operations).map((operation) => {
        const counts = made.map(([name, counts]) => (name.split(' + ').includes(fault) ? (counts[operation] ?? 0) : 0))
        return { fault, operation, count: counts.reduce((sum, count) => sum + count, 0) }
      }),
    )
    .toSorted((one, other) => one.count - other.count)
}

/** How often the rarest pair met. */
export const metLeast = (met: Outcome['met']): number => pairsOf(met)[0]?.count ?? 0

/** Whether each fault was made alone, and each two of them together. */
export const isWhole = (met: Outcome['met']): boolean => Object.keys(met).length === combinations().length

/** Each fault alone and each two of them together. */
function combinations(): (readonly Fault[])[] {
  const pairs = faults.flatMap((one, place) => faults.slice(place + 1).map((other) => [one, other]))
  return [...faults.map((one) => [one]), ...pairs]
}

/** All of them in a drawn order. */
function schedule(draw: () => number): (readonly Fault[])[] {
  return shuffle(combinations(), draw)
}

type OwnAccount = Account & { id: string }

/** Two companies: `a` without limits, and `b` whose plan is nearly full. */
async function openAccounts(
  { give }: Service,
  { write }: Recorder,
  addressOf: (company: string) => string,
): Promise<OwnAccount[]> {
  for (const line of references) write(line)
  write({ kind: 'limit', company: 'b', records: 'projects', most: 25 })
  const open = async (name: string, plan: string, isOrdered: boolean): Promise<OwnAccount> => {
    const { id, token } = await createCompany(give, { name, plan })
    const events = receivedRecords.flatMap((records) =>
      ['created', 'updated', 'deleted', 'restored', 'erased'].map((action) => `${records}.${action}`),
    )
    const hook = ['--name', 'Proof', '--url', addressOf(name), '--events', events.join(','), '--payload', 'thin']
    await give('webhooks', 'create', '--company', id, ...hook, ...(isOrdered ? [] : ['--unordered']))
    const endpoint = `receiver of ${name}`
    write({ kind: 'endpoint', company: name, endpoint, ordered: isOrdered, records: receivedRecords })
    return { id, name, token: { name: `${name}-0`, text: token } }
  }
  return Promise.all([open('a', 'ENTERPRISE', true), open('b', 'STARTER', false)])
}
