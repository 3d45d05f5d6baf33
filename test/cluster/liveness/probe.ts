import { Agent } from 'node:http'
import type { Change } from '#server/service/changes.ts'
import { send, type TestResponse } from '../../stage/http.ts'
import { pause } from '../../stage/wait.ts'
import { createConsumer } from '../consumer.ts'

/**
 * Callers of one company that go on through a fault: keyed creates, reads, and a consumer of the feed. They measure what
 * docs/reliability/liveness.md promises and check that nothing was lost or done twice.
 */
export type Probe = {
  /** Counts from now on as the time of the fault. */
  faultBegins(): void
  /** Counts from now on as the time after it. Resolves once a write and a read have succeeded again. */
  faultEnds(): Promise<void>
  /** Replaces the token, as an operator does while the fault lasts. */
  revoke(rotate: () => Promise<string>): Promise<void>
  /** Ends the callers once all keys are settled and the feed has told every change. */
  finish(): Promise<Measurements>
}

export type Measurements = {
  acknowledged: number
  /** Answers while the fault lasted, by status; 0 is a connection that ended without one. */
  heard: { [status: number]: number }
  /** Milliseconds from the start of a call to its first answer. */
  firstAnswerMs: number
  /** Milliseconds from a first answer without a result, or from the end of the fault, until the key had one. */
  settledMs: number
  /** Milliseconds from an acknowledged write, or from the end of the fault, until the feed told it. */
  feedMs: number
  /** Milliseconds that the rotation of the token took; null where none was asked for. */
  revocationMs: number | null
  /** Milliseconds from the end of the fault to the first write and the first read that succeeded. */
  backMs: number
  violations: string[]
}

const writers = 6
const readers = 2
/** Longer than any bound: a call that takes this long counts as never answered. */
const abandonedMs = 60_000

/** `isReachable`: a new connection to the database works while the fault lasts, so waits count from their own beginning. */
export function startProbe(url: string, token: string, { isReachable }: { isReachable: boolean }): Probe {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const started = crypto.randomUUID().slice(0, 8)
  const sent = new Set<string>()
  const acknowledgedAt = new Map<string, number>()
  const toldAt = new Map<string, number>()
  const consumer = createConsumer()
  const violations: string[] = []
  const heard: { [status: number]: number } = {}
  const longest = { firstAnswerMs: 0, settledMs: 0 }
  let currentToken = token
  let revocationMs: number | null = null
  let fault: { beganAt: number; endedAt: number } = { beganAt: Infinity, endedAt: Infinity }
  let lastWriteAt = 0
  let lastReadAt = 0
  let backMs = 0
  let isWriting = true
  let isFollowing = true
  /** A wait that the fault made unavoidable counts from the end of the fault. */
  const waitingSince = (since: number): number =>
    isReachable || fault.endedAt === Infinity ? since : Math.max(since, fault.endedAt)
  const lasting = (): boolean => fault.beganAt < Infinity && fault.endedAt === Infinity

  async function call(method: string, path: string, more: { key?: string; body?: object; waitMs?: number } = {}) {
    const { key, body, waitMs = 0 } = more
    const usedToken = currentToken
    const headers: [string, string][] = [['Authorization', `Bearer ${usedToken}`]]
    if (body) headers.push(['Content-Type', 'application/json'])
    if (key !== undefined) headers.push(['Idempotency-Key', key])
    const startedAt = performance.now()
    const abandoned = new Promise<null>((resolve) => setTimeout(() => resolve(null), abandonedMs).unref())
    const sending = send(url, { method, path, headers, body: body && JSON.stringify(body), agent })
    const answer = await Promise.race([sending.catch((): TestResponse | undefined => undefined), abandoned])
    if (answer === null) violations.push(`${method} ${path} was not answered within ${abandonedMs} ms`)
    const tookMs = performance.now() - startedAt - waitMs
    longest.firstAnswerMs = Math.max(longest.firstAnswerMs, tookMs)
    const status = answer?.status ?? 0
    if (lasting()) heard[status] = (heard[status] ?? 0) + 1
    if (status >= 500 && status !== 503) violations.push(`${method} ${path}: ${status} ${answer?.text.slice(0, 200)}`)
    // Refused for a token that was replaced meanwhile: asked again with the one of now.
    const isOutdated = status === 401 && usedToken !== currentToken
    return { status, body: answer?.body, isOutdated }
  }

  /** Sends one create until it has a result, under one key. */
  async function create(name: string): Promise<void> {
    sent.add(name)
    let unsettledSince: number | undefined
    for (;;) {
      const { status, isOutdated } = await call('POST', '/v1/clients', { key: name, body: { name } })
      const now = performance.now()
      if (status === 201) {
        acknowledgedAt.set(name, now)
        lastWriteAt = now
        if (unsettledSince !== undefined) {
          longest.settledMs = Math.max(longest.settledMs, now - waitingSince(unsettledSince))
        }
        return
      }
      if (!isOutdated && status !== 503 && status !== 409 && status !== 0 && status !== 401)
        return void violations.push(`the create ${name} was answered ${status}`)
      unsettledSince ??= now
      await pause(100)
    }
  }

  async function write(writer: number): Promise<void> {
    for (let turn = 0; isWriting; turn++) {
      await create(`${started}-${writer}-${turn}`)
      await pause(60)
    }
  }

  async function read(): Promise<void> {
    while (isWriting) {
      const { status } = await call('GET', '/v1/clients?limit=1&q=nobody')
      if (status === 200) lastReadAt = performance.now()
      await pause(100)
    }
  }

  async function follow(): Promise<void> {
    for (let cursor = ''; isFollowing; ) {
      const { status, body } = await call('GET', `/v1/changes?limit=100${cursor === '' ? '' : `&after=${cursor}`}`)
      if (status !== 200) {
        if (status === 410) violations.push('the feed refused its own cursor')
        await pause(100)
        continue
      }
      const changes = body.data as Change[]
      const now = performance.now()
      for (const { record } of changes)
        if (record?.name && !toldAt.has(String(record.name))) toldAt.set(String(record.name), now)
      consumer.take(changes)
      cursor = body.meta.next
      if (changes.length === 0) await pause(50)
    }
  }

  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const reading = Promise.all(Array.from({ length: readers }, read))
  const following = follow()

  async function until(isTrue: () => boolean, what: string, withinMs = abandonedMs): Promise<void> {
    const giveUpAt = performance.now() + withinMs
    while (!isTrue()) {
      if (performance.now() > giveUpAt) return void violations.push(`${what}: not within ${withinMs} ms`)
      await pause(20)
    }
  }

  return {
    faultBegins: () => {
      fault = { beganAt: performance.now(), endedAt: Infinity }
    },
    async faultEnds() {
      fault = { ...fault, endedAt: performance.now() }
      await until(() => lastWriteAt > fault.endedAt && lastReadAt > fault.endedAt, 'a write and a read after the fault')
      backMs = performance.now() - fault.endedAt
    },
    async revoke(rotate) {
      const former = currentToken
      const since = performance.now()
      currentToken = await rotate()
      revocationMs = performance.now() - since
      const answer = await send(url, {
        method: 'POST',
        path: '/v1/clients',
        headers: [
          ['Authorization', `Bearer ${former}`],
          ['Content-Type', 'application/json'],
        ],
        body: '{"name":"with a revoked token"}',
      }).catch(() => undefined)
      if (answer && answer.status < 400) violations.push('a revoked token was accepted')
    },
    async finish() {
      isWriting = false
      await writing
      await reading
      await until(
        () => [...acknowledgedAt.keys()].every((name) => toldAt.has(name)),
        'the feed told all that was written',
      )
      isFollowing = false
      await following
      const listed = new Map<string, number>()
      const giveUpAt = performance.now() + abandonedMs
      for (let afterId = 0; ; ) {
        const { status, body } = await call('GET', `/v1/clients?after_id=${afterId}&limit=100`)
        // A process that has served no call since the fault may notice by this one that its connections are gone.
        if (status === 503 && performance.now() < giveUpAt) {
          await pause(100)
          continue
        }
        if (status !== 200) throw new Error(`the list was answered ${status}`)
        for (const { name } of body.data) listed.set(name, (listed.get(name) ?? 0) + 1)
        if (body.data.length < 100) break
        afterId = body.data.at(-1).id
      }
      for (const name of sent)
        if (listed.get(name) !== 1) violations.push(`${name} is there ${listed.get(name) ?? 0} times`)
      if (listed.has('with a revoked token')) violations.push('a revoked token wrote')
      violations.push(...consumer.wrong)
      agent.destroy()
      const delays = [...acknowledgedAt].map(([name, at]) => {
        const told = toldAt.get(name) ?? Infinity
        return told - (told > fault.endedAt ? waitingSince(at) : at)
      })
      return {
        acknowledged: acknowledgedAt.size,
        heard,
        ...longest,
        feedMs: Math.max(0, ...delays),
        revocationMs,
        backMs,
        violations,
      }
    },
  }
}
