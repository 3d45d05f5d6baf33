import crypto from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { drawer } from '../draw.ts'
import type { Order, RestReport } from './orders.ts'

/**
 * Loaded into a service before its own code (`node --import`). Once it has started, its clock stands still until the
 * scheduler advances it. Its random bits come from SIMULATE_SEED, and it reports when it waits for input alone.
 */
const seed = Number(process.env.SIMULATE_SEED)
const realSetImmediate = setImmediate
const realSetInterval = setInterval
const realClearTimeout = clearTimeout
const endTurn = (): Promise<void> => new Promise((resolve) => realSetImmediate(() => resolve()))

let nowMs = 0
let timerCount = 0
const waiting = new Set<VirtualTimer>()

/** A timer of the clock that stands still. It has the members that callers of Node.js use. */
class VirtualTimer {
  readonly #act: () => void
  readonly #ms: number
  readonly #isRepeated: boolean
  dueMs = 0
  number = 0
  constructor(act: () => void, ms: unknown, isRepeated: boolean) {
    const wanted = Math.trunc(Number(ms))
    this.#act = act
    this.#ms = wanted >= 1 && wanted < 2 ** 31 ? wanted : 1
    this.#isRepeated = isRepeated
    this.refresh()
  }
  fire(): void {
    waiting.delete(this)
    if (this.#isRepeated) this.refresh()
    this.#act()
  }
  refresh(): this {
    this.dueMs = nowMs + this.#ms
    this.number = ++timerCount
    waiting.add(this)
    return this
  }
  close(): this {
    waiting.delete(this)
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
  [Symbol.dispose](): void {
    this.close()
  }
}

/** Returns the timer that is due first, if it is due by then. */
function findDue(untilMs: number): VirtualTimer | undefined {
  let first: VirtualTimer | undefined
  for (const one of waiting)
    if (!first || one.dueMs < first.dueMs || (one.dueMs === first.dueMs && one.number < first.number)) first = one
  return first && first.dueMs <= untilMs ? first : undefined
}

/** Fires what is due until then, one timer after the other, each in a turn of its own. */
async function advance(byMs: number): Promise<void> {
  const untilMs = nowMs + byMs
  for (let next = findDue(untilMs); next; next = findDue(untilMs)) {
    const due = next
    nowMs = Math.max(nowMs, due.dueMs)
    // Outside of this promise, so that what a callback throws is uncaught, as with any timer.
    realSetImmediate(() => due.fire())
    await endTurn()
    await endTurn()
  }
  nowMs = untilMs
}

type Callback = (...words: unknown[]) => void
const later = (act: Callback, ms?: unknown, ...words: unknown[]) => new VirtualTimer(() => act(...words), ms, false)
const again = (act: Callback, ms?: unknown, ...words: unknown[]) => new VirtualTimer(() => act(...words), ms, true)
const clear = (timer: unknown): void => {
  if (timer instanceof VirtualTimer) timer.close()
  else realClearTimeout(timer as NodeJS.Timeout | undefined)
}
function sleep<Value>(ms?: number, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clear(timer)
      reject(signal?.reason)
    }
    const timer = later(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value as Value)
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
Object.defineProperty(later, promisify.custom, { value: sleep })
const clock = { setTimeout: later, setInterval: again, clearTimeout: clear, clearInterval: clear }
Object.assign(globalThis, clock)
Object.assign(timers, clock)
Object.assign(timersPromises, { setTimeout: sleep })

/** The time of its clock at the start, in milliseconds since 1970: the same in each run. */
const clockStartMs = Date.UTC(2026, 10, 1)
const wallMs = (): number => clockStartMs + Math.floor(nowMs)
globalThis.Date = new Proxy(Date, {
  construct: (of, words, target) => Reflect.construct(of, words.length === 0 ? [wallMs()] : words, target),
  get: (of, name) => (name === 'now' ? wallMs : Reflect.get(of, name)),
})
Object.defineProperty(performance, 'now', { value: () => nowMs })

let draw = drawer(seed)
let drawShare = drawer(seed + 1)
Math.random = () => drawShare()
function fill<Bytes extends ArrayBufferView>(view: Bytes): Bytes {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let place = 0; place < bytes.length; place++) bytes[place] = Math.floor(draw() * 256)
  return view
}
const randomBytes = (size: number): Buffer => fill(Buffer.alloc(size))
function randomUUID(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
Object.assign(crypto, { randomBytes, randomUUID, randomFillSync: fill })
for (const [name, value] of Object.entries({ randomUUID, getRandomValues: fill }))
  Object.defineProperty(globalThis.crypto, name, { value })
syncBuiltinESMExports()

/** Work of other threads that Node.js does not list. */
let hashing = 0
const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
for (const name of ['hash', 'verify']) {
  const work = argon2[name]
  argon2[name] = (...words: unknown[]) => {
    hashing++
    return work(...words).finally(() => hashing--)
  }
}

const sockets = new Set<net.Socket>()
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (this: net.Socket, ...words: unknown[]) {
  sockets.add(this)
  this.once('close', () => sockets.delete(this))
  return Reflect.apply(connect, this, words)
} as typeof connect

let begun = 0
let finished = 0
const incoming = new Set<{ complete: boolean }>()
subscribe('http.server.request.start', (message) => {
  begun++
  incoming.add((message as { request: { complete: boolean } }).request)
})
subscribe('http.server.response.finish', () => {
  finished++
})

/** Resources that are there while nothing is to be done. */
const idle = new Set(['TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'TTYWrap', 'SignalWrap', 'MessagePort', 'Timeout'])

async function reportRest(): Promise<RestReport> {
  for (let turns = 0; turns < 3; turns++) await endTurn()
  for (const one of incoming) if (one.complete) incoming.delete(one)
  const busy = process.getActiveResourcesInfo().filter((name) => !idle.has(name))
  return {
    ...{ begun, finished },
    busy: [...busy, ...(hashing > 0 ? ['a password'] : []), ...(incoming.size > 0 ? ['a request'] : [])],
    sockets: [...sockets].map((one) => ({
      ...{ port: one.localPort ?? 0, read: one.bytesRead, written: one.bytesWritten },
    })),
  }
}

/** The clock runs until the service has started, and again once the schedule is over. */
let running: NodeJS.Timeout | null = null
let advancing: Promise<void> | null = null
function run(): void {
  running = realSetInterval(() => {
    advancing ??= advance(tickMs).finally(() => {
      advancing = null
    })
  }, tickMs)
}
/** Stops the clock at a moment that no start reaches: each timer is set anew, and the random bits begin anew. */
async function stop(): Promise<void> {
  if (running) realClearTimeout(running)
  await advancing
  nowMs = stoppedAtMs * ++stops
  for (const one of [...waiting].toSorted((one, other) => one.number - other.number)) one.refresh()
  draw = drawer(seed)
  drawShare = drawer(seed + 1)
}
const tickMs = 10
const stoppedAtMs = 600_000
let stops = 0

run()
// The scheduler may have been killed.
process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  if (order.is === 'advance') await advance(order.byMs)
  else if (order.is === 'run') run()
  else if (order.is === 'stop') await stop()
  process.send?.(await reportRest())
})
