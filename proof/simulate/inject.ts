import crypto from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { install } from '@sinonjs/fake-timers'
import { drawer } from '../draw.ts'
import type { Order, RestReport } from './orders.ts'

/**
 * Loaded into a service before its own code (`node --import`). Once it has started, its clock stands still until the
 * scheduler advances it. Its random bits come from SIMULATE_SEED, and it reports when it waits for input alone.
 */
const seed = Number(process.env.SIMULATE_SEED)
const realSetInterval = setInterval
const realClearInterval = clearInterval
const endTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The time of its clock at the start, in milliseconds since 1970: the same in each run. */
const clockStartMs = Date.UTC(2026, 10, 1)
const clock = install({
  now: clockStartMs,
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  shouldClearNativeTimers: true,
})
// The clock's own stays behind when its time is set.
Object.defineProperty(performance, 'now', { value: () => clock.now - clockStartMs })

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
let running: NodeJS.Timeout | undefined
let advancing: Promise<unknown> | null = null
function run(): void {
  running = realSetInterval(() => {
    advancing ??= clock.tickAsync(tickMs).finally(() => {
      advancing = null
    })
  }, tickMs)
}
/** Stops the clock at a moment that no start reaches: each timer is set anew, and the random bits begin anew. */
async function stop(): Promise<void> {
  realClearInterval(running)
  await advancing
  clock.setSystemTime(clockStartMs + stoppedAtMs * ++stops)
  for (const timer of clock.timers?.values() ?? []) timer.callAt = clock.now + (timer.delay ?? 0)
  // Puts them into their new order.
  clock.jump(0)
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
  if (order.is === 'advance') await clock.tickAsync(order.byMs)
  else if (order.is === 'run') run()
  else if (order.is === 'stop') await stop()
  process.send?.(await reportRest())
})
