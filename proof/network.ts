import { connect } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { openRelay, type Line as RelayLine, type Way } from './relay.ts'

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
export const slownessMs = 100

/** Milliseconds by which a network between two machines that are near each other delivers late at most. */
export const hopMsMax = 5

/** `last`: the chunks of each way keep their order. */
type Line = RelayLine & { last: { [way in Way]: Promise<void> } }

/** `delayMs` returns by how many milliseconds the next chunk is late while nothing fails. */
export async function openNetwork(first: string, delayMs: () => number = () => 0): Promise<Network> {
  let socket: string | null = first
  let fault: NetworkFault | null = null
  let healing = Promise.withResolvers<void>()

  const deliver = ({ last }: Line, way: Way, act: () => void): void => {
    const due = performance.now() + (fault === `slow to the ${way}` ? slownessMs : delayMs())
    last[way] = last[way].then(async () => {
      const left = due - performance.now()
      if (left > 0) await after(left)
      if (fault === 'silent both ways' || fault === `silent to the ${way}`) await healing.promise
      act()
    })
  }
  const relay = await openRelay<Line>(
    (near) =>
      fault === 'refused' || socket === null
        ? null
        : { near, far: connect(socket), last: { database: Promise.resolve(), service: Promise.resolve() } },
    deliver,
  )
  const endAll = (isReset: boolean): void => {
    for (const { near, far } of relay.lines) {
      if (isReset) near.resetAndDestroy()
      else near.destroy()
      far.destroy()
    }
  }
  return {
    port: relay.port,
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
    close: relay.close,
  }
}
