import type { BenchRequest } from '../../bench/adapter.ts'
import { createHistogram, type Histogram, record } from '../../bench/histogram.ts'
import { createResponseReader, wrongWith } from '../../bench/load/response-reader.ts'
import { type Line, openLine } from '../../bench/load/volley.ts'
import { shotOf } from '../../bench/load/wire.ts'
import type { Ground } from './attack.ts'
import { bearer, json, sameSite } from './attacks/wire.ts'

/**
 * Everybody else: another company, which asks for little at a steady pace, and a balancer, which asks whether the process
 * is there over a new connection each time. Each comes from an address of its own.
 */
export type Others = {
  /** Resolves when as many more have been answered, or have given up. */
  settle(count: number): Promise<void>
  /** What they met since this was last asked: calls that have ended. */
  met(): OutcomeCounts
  /** Asks for nothing more; what is under way is waited for. */
  stop(): Promise<void>
}

export type OutcomeCounts = {
  asked: number
  answered: number
  /** Why the rest was not, and how often. */
  failures: { [why: string]: number }
  /** Of the company's calls that began in this time, from the moment at which each was due. */
  calls: Histogram
}

/** Longer than any caller waits, and long enough for a machine that has other work. */
const timeoutMilliseconds = 10_000

export type Pace = { callsPerSecond: number; probesPerSecond: number; signInsPerSecond: number }

export async function startOthers(ground: Ground, pace: Pace): Promise<Others> {
  let met = nothingYet()
  let waiting: { left: number; done: () => void }[] = []
  const underWay = new Set<Promise<void>>()
  const timers: NodeJS.Timeout[] = []
  const lines: Line[] = []
  const next = requestsOf(ground)
  let cookies = ''

  const settled = (): void => {
    for (const one of waiting) if (--one.left === 0) one.done()
    waiting = waiting.filter(({ left }) => left > 0)
  }
  const begin = (work: Promise<string | undefined>): Promise<void> => {
    const one = work.then((wrong) => {
      met.asked++
      if (wrong === undefined) met.answered++
      else met.failures[wrong] = (met.failures[wrong] ?? 0) + 1
      settled()
      underWay.delete(one)
    })
    underWay.add(one)
    return one
  }

  const call = async (due: number): Promise<string | undefined> => {
    const { calls } = met
    const wrong = await ask(ground, next(), { from: addresses.company, idle: lines })
    record(calls, performance.now() - due)
    return wrong
  }
  const probe = (path: string) =>
    ask(
      ground,
      { method: 'GET', path, headers: { Connection: 'close' }, expect: { status: 200 } },
      { from: addresses.balancer },
    )
  const signIn = (): Promise<string | undefined> => {
    const { email, password } = ground.victim
    const headers = { ...sameSite, ...json, Connection: 'close', ...(cookies === '' ? {} : { Cookie: cookies }) }
    const wanted: BenchRequest = {
      ...{ method: 'POST', path: '/console/session', headers },
      ...{ body: JSON.stringify({ email, password }), expect: { status: 200 } },
    }
    const keep = (head: string): void => {
      const given = [...head.matchAll(/^set-cookie: ([^;\r]+)/gim)].map(([, pair]) => pair)
      if (given.length > 0) cookies = given.join('; ')
    }
    return ask(ground, wanted, { from: addresses.admin, keep })
  }

  // They show from then on that they have signed in before.
  if (pace.signInsPerSecond > 0) await begin(signIn())
  steadily(timers, pace.callsPerSecond, (due) => begin(call(due)))
  steadily(timers, pace.probesPerSecond, (_, count) => begin(probe(count % 2 === 0 ? '/healthz' : '/readyz')))
  steadily(timers, pace.signInsPerSecond, () => begin(signIn()))

  return {
    settle: (count) => new Promise((resolve) => waiting.push({ left: count, done: resolve })),
    met: () => {
      const before = met
      met = nothingYet()
      return before
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay)
      for (const { socket } of lines) socket.destroy()
    },
  }
}

const nothingYet = (): OutcomeCounts => ({ asked: 0, answered: 0, failures: {}, calls: createHistogram() })

const addresses = { company: '127.0.0.2', balancer: '127.0.0.3', admin: '127.0.0.4' }

/** Each is due at its time; a timer that is late makes up for what it missed. */
function steadily(timers: NodeJS.Timeout[], perSecond: number, work: (due: number, count: number) => void): void {
  if (perSecond === 0) return
  const every = 1000 / perSecond
  const begins = performance.now()
  let count = 0
  const timer = setInterval(() => {
    for (; begins + count * every <= performance.now(); count++) work(begins + count * every, count)
  }, every)
  timers.push(timer)
}

/** What a program of a working day asks for: a record mostly, a page, now and then a new record. */
function requestsOf({ victim: { token, clients } }: Ground): () => BenchRequest {
  const headers = bearer(token)
  const own = crypto.randomUUID()
  let count = 0
  return () => {
    const number = count++
    if (number % 10 === 9)
      return {
        ...{
          method: 'POST',
          path: '/v1/clients',
          headers: { ...headers, ...json, 'Idempotency-Key': `${own}-${number}` },
        },
        ...{ body: JSON.stringify({ name: `Polite ${number}` }), expect: { status: 201, begins: '{"data":{"id":' } },
      }
    if (number % 10 >= 7)
      return {
        ...{ method: 'GET', path: '/v1/clients?limit=20', headers },
        expect: { status: 200, begins: '{"data":[{"id":', bytesMin: 1000 },
      }
    const id = clients[number % clients.length]
    return {
      ...{ method: 'GET', path: `/v1/clients/${id}`, headers },
      expect: { status: 200, begins: `{"data":{"id":${id},`, ends: '}}' },
    }
  }
}

type By = {
  from: string
  /** Connections that have nothing to do; without them the connection is new, and closed afterwards. */
  idle?: Line[]
  /** Hears the head of the answer. */
  keep?: (head: string) => void
}

/** One request and its answer; what was wrong with it, or nothing. */
async function ask(ground: Ground, wanted: BenchRequest, { from, idle, keep }: By): Promise<string | undefined> {
  const { hostname: host, port, host: name } = new URL(ground.url)
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(`no answer within ${timeoutMilliseconds / 1000} s`), timeoutMilliseconds)
  let line: Line | undefined
  const answered = async (): Promise<string | undefined> => {
    line = idle?.pop() ?? (await openLine({ host, port: Number(port), from }))
    const { bytes, expect } = shotOf(wanted, name)
    return answerOver(line, bytes, expect, keep)
  }
  try {
    const wrong = await Promise.race([answered(), late])
    if (wrong === undefined && line && idle) idle.push(line)
    else line?.socket.destroy()
    return wrong
  } catch (error) {
    line?.socket.destroy()
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  } finally {
    clearTimeout(timer)
  }
}

function answerOver(
  line: Line,
  bytes: string | Buffer,
  expect: BenchRequest['expect'],
  keep?: (head: string) => void,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const reader = createResponseReader()
    const gone = (): void => reject(new Error('the connection was cut'))
    line.socket.once('error', reject)
    line.socket.once('close', gone)
    line.onBytes = (chunk, length) => {
      try {
        if (keep) keep(chunk.toString('latin1', 0, length))
        const answer = reader.take(chunk, length)
        if (!answer) return
        line.onBytes = () => {}
        line.socket.off('error', reject)
        line.socket.off('close', gone)
        const wrong = wrongWith(answer, expect)
        resolve(wrong && shortOf(answer.status, wrong))
      } catch (error) {
        reject(error)
      }
    }
    line.socket.write(bytes)
  })
}

/** What is the same of many refusals. */
function shortOf(status: number, wrong: string): string {
  const code = /"code":"(\w+)"/.exec(wrong)?.[1]
  return code ? `${status} ${code}` : wrong.slice(0, 120)
}
