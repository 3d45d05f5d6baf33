import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Line } from './history.ts'

/** Sends calls and writes down what was sent and heard, a line each. */
export type Recorder = {
  send(call: RecordedRequest): Promise<RecordedResponse>
  write(line: Line): void
  /** Returns the calls that are under way at any moment until `act` is done. */
  during(act: () => Promise<unknown>): Promise<ReadonlySet<RecordedRequest>>
  /** Returns how many calls are under way. */
  underWay(): number
  /** Resolves once so many calls that begin from now on have been answered with success. */
  untilDone(calls: number): Promise<void>
  /** Resolves once all that was written is in the file. */
  flush(): Promise<void>
  counts: { calls: number; unanswered: number; [status: number]: number }
  close(): Promise<void>
}

export type RecordedRequest = {
  /** The name of what is tried, by which faults are counted. */
  operation: string
  company: string
  /** The token, and the name by which the history knows it. */
  token: { name: string; text: string }
  method: string
  path: string
  body?: object
  key?: string
  ifMatch?: string
  ifPlan?: string
  dryRun?: boolean
  /** The base URL of another process of the service than the recorder's own. */
  url?: string
}

export type RecordedResponse = {
  status: number | null
  replayed?: true
  etag?: string
  write?: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the service under test may be anything
  answer?: any
}

/** Returns the recorder sending over one process of the service after the other. */
export function alternate(recorder: Recorder, urls: readonly string[]): Recorder {
  let sent = 0
  return { ...recorder, send: (call) => recorder.send({ url: urls[sent++ % urls.length] as string, ...call }) }
}

/** A call that takes this long counts as not answered. */
const abandonedMs = 30_000

export function openRecorder(own: string, file: string): Recorder {
  const { Agent, request } = own.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  const out = createWriteStream(file)
  /** Writes nothing once it is closed: those who still ask then must not hide why the run has ended. */
  const write = (line: Line): void => {
    if (!out.writableEnded) out.write(`${JSON.stringify(line)}\n`)
  }
  const counts: Recorder['counts'] = { calls: 0, unanswered: 0 }
  const underWay = new Set<RecordedRequest>()
  const meetings = new Set<Set<RecordedRequest>>()
  const waiters = new Set<{ since: number; left: number; resolve: () => void }>()
  const noteDone = (start: number): void => {
    for (const waiter of waiters)
      if (start >= waiter.since && --waiter.left === 0) {
        waiters.delete(waiter)
        waiter.resolve()
      }
  }

  const send = async (sent: RecordedRequest): Promise<RecordedResponse> => {
    const { company, token, method, path, body, key, ifMatch, ifPlan, dryRun, url = own } = sent
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      Authorization: `Bearer ${token.text}`,
      ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...(ifPlan === undefined ? {} : { 'If-Plan': ifPlan }),
      ...(dryRun ? { 'X-Dry-Run': '1' } : {}),
    }
    underWay.add(sent)
    for (const met of meetings) met.add(sent)
    const start = performance.now()
    const got = await exchange(request, { url, agent, method, path, headers }, text).catch(() => null)
    underWay.delete(sent)
    const end = got === null ? null : performance.now()
    counts.calls++
    if (got === null) counts.unanswered++
    else counts[got.status] = (counts[got.status] ?? 0) + 1
    if (got !== null && got.status < 300) noteDone(start)
    const etag = got?.headers.etag
    const named = got?.headers['x-write-id'] as string | undefined
    const heard: RecordedResponse = {
      status: got?.status ?? null,
      ...(etag === undefined ? {} : { etag }),
      ...(named === undefined ? {} : { write: named }),
      ...(got?.headers['idempotency-replayed'] === 'true' ? { replayed: true } : {}),
      ...(got === null ? {} : { answer: got.answer }),
    }
    const { answer, ...short } = heard
    write({
      ...{ kind: 'call', company, token: token.name, start, end, method, path, ...short },
      ...(key === undefined ? {} : { key, hash: hash('sha256', text ?? '').slice(0, 16) }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
      ...(ifPlan === undefined ? {} : { ifPlan }),
      ...(dryRun ? { dryRun } : {}),
      ...(method === 'GET' ? {} : { answer }),
    })
    return heard
  }

  return {
    send,
    write,
    counts,
    async during(act) {
      const met = new Set(underWay)
      meetings.add(met)
      await act()
      meetings.delete(met)
      return met
    },
    underWay: () => underWay.size,
    untilDone: (left) =>
      new Promise((resolve) => void waiters.add({ since: performance.now(), left, resolve: () => resolve() })),
    flush: () => new Promise<void>((resolve) => out.write('', () => resolve())),
    close: async () => {
      agent.destroy()
      await new Promise<void>((resolve) => out.end(resolve))
    },
  }
}

type Exchange = {
  url: string
  agent: http.Agent
  method: string
  path: string
  headers: { [name: string]: string | number }
}
type ReceivedResponse = { status: number; headers: IncomingMessage['headers']; answer: RecordedResponse['answer'] }

function exchange(
  request: typeof http.request,
  { url, agent, method, path, headers }: Exchange,
  text: string | undefined,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers, signal: AbortSignal.timeout(abandonedMs) }
    const outgoing = request(`${url}${path}`, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        if (!response.complete) return reject(new Error('the answer was cut off'))
        const whole = Buffer.concat(chunks).toString('utf8')
        const isJson = /json/.test(response.headers['content-type'] ?? '') && whole !== ''
        resolve({
          status: response.statusCode as number,
          headers: response.headers,
          answer: isJson ? JSON.parse(whole) : undefined,
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
