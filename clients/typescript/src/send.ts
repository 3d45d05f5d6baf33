import { Refused, Unreachable } from './errors.ts'
import type { Problem } from './wire.ts'

/** A call has attempts with the same key until an answer settles it or the deadline passes. */

export type ConnectOptions = {
  /** The address of the service, such as `https://erp.example.com`. */
  baseUrl: string
  /** The token of the company, or a function that returns it for each attempt. */
  token: string | (() => string | Promise<string>)
  /** The longest time of a call with all its attempts, in milliseconds. 60,000 if not given. */
  deadlineMs?: number
  /** The name of the program, such as `payroll/2`. It is sent in `User-Agent`. */
  client?: string
  /** Whether `http:` is accepted for addresses of other machines. */
  allowHttp?: boolean
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** The longest time of this call, in milliseconds. */
  deadlineMs?: number | undefined
}

export type Connection = {
  readonly origin: string
  readonly token: () => string | Promise<string>
  readonly deadlineMs: number
  readonly userAgent: string
}

export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query | undefined
  /** The text of the body. */
  body?: string | undefined
  /** The Idempotency-Key, the same for all attempts. */
  key?: string | undefined
  headers?: { readonly [name: string]: string | undefined }
  /** The longest time of one attempt in milliseconds: 30,000 if not given, none if null. */
  attemptMs?: number | null
}

export type Query = { readonly [name: string]: string | number | boolean | readonly (string | number)[] | undefined }

/** An answer that is no refusal. `body` is undefined for 304. */
export type SuccessResponse = { status: number; headers: Headers; body: unknown }

const attemptMsDefault = 30_000
const deadlineMsDefault = 60_000
const pauseMsFirst = 100
const pauseMsMax = 8_000
/** The longest pause for which `Retry-After` is obeyed: a header alone stops no call for days. */
const retryAfterMsMax = 3_600_000
/** The longest time of a timer of the platform. A longer one would end at once. */
const timerMsMax = 2 ** 31 - 1
const retriedStatuses: readonly number[] = [408, 429, 502, 503, 504]
const retriedCodes: readonly string[] = ['idempotency_in_progress', 'reference_conflict']

/** Checks the options. Throws TypeError if one is not usable. */
export function openConnection({ baseUrl, token, deadlineMs, client, allowHttp }: ConnectOptions): Connection {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`baseUrl must be an address of http or https: ${baseUrl}`)
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new TypeError(`baseUrl must begin with https:, or allowHttp must be true: ${baseUrl}`)
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must have no user, password, query or fragment')
  }
  if (typeof token !== 'function' && (typeof token !== 'string' || token === '')) {
    throw new TypeError('token must be a text or a function that returns one')
  }
  return {
    origin: url.href.replace(/\/+$/, ''),
    token: typeof token === 'function' ? token : () => token,
    deadlineMs: checkedDeadline(deadlineMs) ?? deadlineMsDefault,
    userAgent: ['plumbline-client', client].filter(Boolean).join(' '),
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

function checkedDeadline(deadlineMs: number | undefined): number | undefined {
  if (deadlineMs === undefined || deadlineMs > 0) return deadlineMs
  throw new TypeError(`deadlineMs must be a number above 0: ${deadlineMs}`)
}

/**
 * Sends a call until an answer settles it. Throws Refused if the service refuses, Unreachable when the deadline passes,
 * and the reason of the signal when it aborts.
 */
export async function send(connection: Connection, call: Call, options: CallOptions = {}): Promise<SuccessResponse> {
  const { signal } = options
  const end = performance.now() + (checkedDeadline(options.deadlineMs) ?? connection.deadlineMs)
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt(connection, call, { signal, endsAt: end })
    signal?.throwIfAborted()
    if ('answer' in outcome) return outcome.answer
    if (!outcome.isRetried) throw outcome.error
    const pauseMs = Math.max(jitteredPause(attempts), (outcome.retryAfter ?? 0) * 1000)
    if (Number.isFinite(end) && performance.now() + pauseMs >= end) {
      throw new Unreachable({ key: call.key, attempts, cause: outcome.error })
    }
    await pause(Math.min(pauseMs, retryAfterMsMax), signal)
  }
}

/** Returns a pause with full jitter, so that clients that failed together do not retry together. */
const jitteredPause = (attempts: number): number =>
  Math.random() * Math.min(pauseMsMax, pauseMsFirst * 2 ** Math.min(attempts, 20))

/** Resolves after a time, 2^31 - 1 ms at most. Rejects with the reason of the signal when that aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, timerMsMax),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

type Outcome = { answer: SuccessResponse } | { error: unknown; isRetried: boolean; retryAfter?: number | undefined }

type Limits = { signal: AbortSignal | undefined; endsAt: number }

async function attempt(connection: Connection, call: Call, { signal, endsAt }: Limits): Promise<Outcome> {
  const { attemptMs = attemptMsDefault } = call
  const address = addressOf(connection, call)
  const token = await connection.token()
  const leftMs = Math.max(1, Math.min(endsAt - performance.now(), attemptMs ?? Number.POSITIVE_INFINITY))
  const timer = new AbortController()
  const timeout = Number.isFinite(leftMs)
    ? setTimeout(
        () => timer.abort(new Error(`no whole answer within ${Math.round(leftMs)} ms`)),
        Math.min(leftMs, timerMsMax),
      )
    : undefined
  let response: Response
  let text: string
  try {
    response = await fetch(address, {
      method: call.method,
      headers: headersOf(connection, call, token),
      body: call.body ?? null,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timer.signal]) : timer.signal,
    })
    text = await response.text()
  } catch (error) {
    return { error, isRetried: true }
  } finally {
    clearTimeout(timeout)
  }
  return outcomeOf(response, text, connection)
}

/**
 * Returns the address of a call. Throws TypeError if it would not be of `/v1/` of this service as it is written: a path
 * may come from a stored preview, and its token would go along.
 */
function addressOf({ origin }: Connection, { path, query }: Call): string {
  const address = origin + path
  const isOurs = /^\/v1\/[^?#]+$/.test(path) && URL.canParse(address)
  // The parser resolves `..`, `%2e%2e` and backslashes, and so returns another text for them.
  if (!isOurs || new URL(address).href !== address) {
    throw new TypeError(`not a path of /v1/ of the service: ${path}`)
  }
  return address + queryText(query)
}

function headersOf({ userAgent }: Connection, { body, key, headers }: Call, token: string): Headers {
  const all = new Headers({ Authorization: `Bearer ${token}`, 'User-Agent': userAgent })
  if (body !== undefined) all.set('Content-Type', 'application/json')
  if (key !== undefined) all.set('Idempotency-Key', key)
  for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) all.set(name, value)
  return all
}

function queryText(query: Query = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}

function outcomeOf(response: Response, text: string, { origin }: Connection): Outcome {
  const { status, headers } = response
  if (status === 304) return { answer: { status, headers, body: undefined } }
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get('location') ?? 'another address'
    return { error: new TypeError(`${origin} redirects to ${to}: set baseUrl to that service`), isRetried: false }
  }
  const body = parseJson(text)
  // The text is no JSON if a proxy cut the answer and completed its framing.
  if (response.ok) {
    if (body !== undefined) return { answer: { status, headers, body } }
    return { error: new Error('the answer is no JSON'), isRetried: true }
  }
  const retryAfter = secondsOf(headers.get('retry-after'))
  const problem = isProblem(body) ? { ...body, status } : foreignProblem(status, text)
  const isRetried = retriedStatuses.includes(status) || retriedCodes.includes(problem.code)
  return { error: new Refused(problem, retryAfter), isRetried, retryAfter }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && typeof (body as Problem).code === 'string'

const foreignProblem = (status: number, text: string): Problem => ({
  type: 'about:blank',
  title: 'Not an answer of Plumbline',
  status,
  detail: `the answer has no problem body: ${text.slice(0, 200)}`,
  code: 'not_a_problem',
  request_id: '',
})

/** Parses Retry-After to seconds, from a number or a date (RFC 9110, 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000)
}
