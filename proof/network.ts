import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'

/** What a network does to connections while it fails. Silence keeps what is sent, and delivers it once it is healed. */
export const networkFaults = [
  'cut',
  'reset',
  'refused',
  'silent to the database',
  'silent to the service',
  'silent both ways',
  'slow to the database',
  'slow to the service',
] as const
export type NetworkFault = (typeof networkFaults)[number]

/** The way from a service to a database that fails at will, and may lead to another one later. */
export type Network = {
  port: number
  fail(fault: NetworkFault): void
  heal(): void
  /** Cuts what is open; what comes from now on is led to this socket, or to nobody. */
  leadTo(socket: string | null): void
  close(): Promise<void>
}

/** Milliseconds by which a slow network delivers late. */
const slownessMs = 100

type Way = 'database' | 'service'
/** `last`: what is sent each way keeps its order. */
type Line = { near: Socket; far: Socket; last: { [way in Way]: Promise<void> } }

export async function openNetwork(first: string): Promise<Network> {
  const lines = new Set<Line>()
  let socket: string | null = first
  let fault: NetworkFault | null = null
  let healing = Promise.withResolvers<void>()

  const pass = ({ last }: Line, way: Way, act: () => void): void => {
    const due = performance.now() + (fault === `slow to the ${way}` ? slownessMs : 0)
    last[way] = last[way].then(async () => {
      const left = due - performance.now()
      if (left > 0) await after(left)
      if (fault === 'silent both ways' || fault === `silent to the ${way}`) await healing.promise
      act()
    })
  }
  const endAll = (isReset: boolean): void => {
    for (const { near, far } of lines) {
      if (isReset) near.resetAndDestroy()
      else near.destroy()
      far.destroy()
    }
  }

  const server = createServer((near) => {
    if (fault === 'refused' || socket === null) return void near.resetAndDestroy()
    const far = connect(socket)
    const line: Line = { near, far, last: { database: Promise.resolve(), service: Promise.resolve() } }
    lines.add(line)
    near.setNoDelay(true)
    near.on('error', () => {}).on('close', () => pass(line, 'database', () => far.destroySoon()))
    far.on('error', () => {}).on('close', () => pass(line, 'service', () => near.destroySoon()))
    for (const end of [near, far]) end.on('close', () => near.closed && far.closed && lines.delete(line))
    near.on('data', (chunk) => pass(line, 'database', () => far.destroyed || far.write(chunk)))
    far.on('data', (chunk) => pass(line, 'service', () => near.destroyed || near.write(chunk)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    fail(next) {
      fault = next
      if (next === 'cut' || next === 'reset' || next === 'refused') endAll(next !== 'cut')
    },
    heal() {
      fault = null
      healing.resolve()
      healing = Promise.withResolvers()
    },
    leadTo(next) {
      socket = next
      endAll(true)
    },
    close: () =>
      new Promise((resolve) => {
        endAll(false)
        server.close(() => resolve())
      }),
  }
}
