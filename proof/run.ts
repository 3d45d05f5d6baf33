import { setTimeout as after } from 'node:timers/promises'
import { check, countCalls, type Violation } from './check.ts'
import { type Fault, faults, type Met, suffer } from './faults.ts'
import { drawer } from './generate.ts'
import { readHistory } from './history.ts'
import { operations } from './operations.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { type Service, startService } from './service.ts'
import { type Account, openReceiver, receivedRecords, startLoad } from './workload.ts'

export type Asked = {
  seconds: number
  seed: number
  /** Where the history is written. */
  file: string
  /** Milliseconds from one fault to the next; without it there are none. */
  faultEveryMs?: number
  /** The checkout whose service is run. */
  checkout?: string
  writers?: number
  /** Ends the run when it is aborted, with what there is. */
  signal?: AbortSignal
}

export type Outcome = {
  calls: number
  unanswered: number
  changes: number
  seconds: number
  faults: number
  rotations: number
  met: { [fault: string]: { [operation: string]: number } }
  violations: Violation[]
}

/** Runs a service under load and faults, writes the history, and checks it. */
export async function run({
  seconds,
  seed,
  file,
  faultEveryMs,
  checkout,
  writers = 16,
  signal,
}: Asked): Promise<Outcome> {
  const since = performance.now()
  const draw = drawer(seed)
  const service = await startService(checkout)
  const recorder = openRecorder(service.url, file)
  const receiver = await openReceiver(recorder.write, drawer(seed + 1))
  const met: Met = new Map()
  let made = 0
  let rotations = 0
  try {
    const accounts = await openAccounts(service, recorder, receiver.addressOf)
    const load = await startLoad({ recorder, accounts, seed, writers, followers: 2, receiver })
    const until = performance.now() + seconds * 1000
    let chosen = schedule(draw)
    const faulting = (async () => {
      for (; faultEveryMs !== undefined && performance.now() < until && !signal?.aborted; made++) {
        await after(faultEveryMs * (0.5 + draw()))
        const [next, ...rest] = chosen
        chosen = rest.length > 0 ? rest : schedule(draw)
        if (next) await suffer(next, { service, recorder, draw, met })
      }
    })()
    const rotating = (async () => {
      while (performance.now() < until && !signal?.aborted) {
        const account = accounts[0] as Account
        const former = account.token
        const text = await service.give('--quiet', 'token', 'rotate', '--company', account.id).catch(() => null)
        // Whether a rotation that failed was done is what the next one finds out.
        if (text !== null) {
          recorder.write({ kind: 'revoked', token: former.name, at: performance.now() })
          account.token = { name: `a-${++rotations}`, text }
          for (const token of [former, former])
            await recorder.send({ operation: 'revoked token', company: 'a', token, method: 'GET', path: '/v1/clients' })
        }
        await after(2000)
      }
    })()
    while (performance.now() < until && !signal?.aborted) await after(100)
    await Promise.all([faulting, rotating])
    await load.finish()
  } finally {
    await recorder.close()
    await receiver.close()
    await service.close()
  }
  const history = await readHistory(file)
  return {
    ...{ calls: countCalls(history), unanswered: recorder.counts.unanswered },
    changes: history.companies.reduce((sum, { feed }) => sum + feed.length, 0),
    ...{ seconds: Math.round((performance.now() - since) / 1000), faults: made, rotations },
    met: Object.fromEntries([...met].map(([fault, counts]) => [fault, Object.fromEntries(counts)])),
    violations: check(history),
  }
}

/**
 * The pairs of a fault and an operation that never met. The run is whole once each fault was made alone and each two of them
 * together; then there has to be no such pair.
 */
export function unmet(met: Outcome['met']): { missing: string[]; isWhole: boolean } {
  const missing = faults.flatMap(({ name }) =>
    Object.keys(operations)
      .filter((operation) =>
        Object.entries(met).every(([made, counts]) => !made.split(' + ').includes(name) || !counts[operation]),
      )
      .map((operation) => `${name}, ${operation}`),
  )
  return { missing, isWhole: Object.keys(met).length === combinations().length }
}

/** Each fault alone and each two of them together. */
function combinations(): (readonly Fault[])[] {
  const pairs = faults.flatMap((one, place) => faults.slice(place + 1).map((other) => [one, other]))
  return [...faults.map((one) => [one]), ...pairs]
}

/** All of them in a drawn order. */
function schedule(draw: () => number): (readonly Fault[])[] {
  return combinations()
    .map((chosen) => ({ chosen, place: draw() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ chosen }) => chosen)
}

/** Two companies: `a` without limits, and `b` whose plan is nearly full. */
async function openAccounts(
  { give }: Service,
  { write }: Recorder,
  addressOf: (company: string) => string,
): Promise<Account[]> {
  write({ kind: 'reference', records: 'projects', field: 'client_id', to: 'clients' })
  write({ kind: 'reference', records: 'projects', field: 'manager_id', to: 'workers' })
  write({ kind: 'limit', company: 'b', records: 'projects', most: 25 })
  const open = async (name: string, plan: string, isOrdered: boolean): Promise<Account> => {
    const id = await give('--quiet', 'company', 'create', '--name', name, '--plan', plan, '--add-ons', 'all')
    const who = ['--name', 'Ada', '--email', `ada@${name}.example`, '--permissions', 'all']
    const account = await give('--quiet', 'account', 'create', '--company', id, ...who)
    const events = receivedRecords.flatMap((records) =>
      ['created', 'updated', 'deleted', 'restored', 'erased'].map((action) => `${records}.${action}`),
    )
    const hook = ['--name', 'Proof', '--url', addressOf(name), '--events', events.join(','), '--payload', 'thin']
    await give('webhooks', 'create', '--company', id, ...hook, ...(isOrdered ? [] : ['--unordered']))
    const endpoint = `receiver of ${name}`
    write({ kind: 'endpoint', company: name, endpoint, ordered: isOrdered, records: receivedRecords })
    const issue = ['--company', id, '--account', account, '--label', 'proof', '--scopes', 'all']
    return { id, name, token: { name: `${name}-0`, text: await give('--quiet', 'token', 'issue', ...issue) } }
  }
  return Promise.all([open('a', 'ENTERPRISE', true), open('b', 'STARTER', false)])
}
