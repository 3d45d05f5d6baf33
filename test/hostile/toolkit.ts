import { connect, type Socket } from 'node:net'
import type { Attack, Ground, Outcome } from './attack.ts'
import { createStatusReader } from './status-reader.ts'

/** What an attacker works with: raw sockets, counted, and bounded in number and time. */
export type Toolkit = {
  ground: Ground
  /** Keeps connections open with something that is never finished: not sent to its end, or not read to its end. */
  hold(held: HeldConnection): Promise<void>
  /** Sends request after request, so many ahead of their answers on each connection. */
  flood(flood: Flood): Promise<void>
  /** Opens all connections at once, and again and again cuts all of them and comes back at once. */
  storm(storm: Storm): Promise<void>
  /** Opens, sends, and goes away without an answer, again and again. */
  hitAndRun(bytes: (index: number) => Bytes): Promise<void>
}

export type Bytes = string | Buffer

export type HeldConnection = {
  send: (index: number) => Bytes
  /** Sent by and by, for as long as the connection lives. */
  trickle?: { bytes: string; everyMilliseconds: number }
  /** Everything that comes; nothing at all; or a little at a time. */
  reads: 'everything' | 'nothing' | { bytes: number; everyMilliseconds: number }
  /** Requests in what is sent. */
  requests?: number
}

export type Storm = { send: (index: number) => Bytes; everyMilliseconds: number }

export type Flood = {
  /** Requests on their way at once on each connection. */
  ahead: number
  next: (index: number) => Bytes
}

/** When the work of one attack is over, and what it does meanwhile. */
export type Orders = {
  /** All has been sent that this form sends; the attack is held until it is `over`. */
  placed(): void
  over: Promise<void>
}

/** A connection that the service ends is opened again: an attacker does not give up. */
const reopenMilliseconds = { held: 200, flooding: 5, refused: 200 }
/** Often enough to be seen: in the short form those that are held count once. */
const heldAgainMax = { short: 2, long: Number.POSITIVE_INFINITY }
/** The time between two storms; the short form counts storms. */
const stormMillisecondsMax = { short: 500, long: Number.POSITIVE_INFINITY }
/** Anyone who reads nothing does not hear that he was cut off; in the long form he comes again after this. */
const unreadMilliseconds = 20_000
/** After this an offer that nobody takes counts as made. */
const offeredMilliseconds = 500
/** Connections that are being opened at once: a machine has its limits too. */
const openingMax = 64

export function createToolkit(
  { attack, ground, form }: { attack: Attack; ground: Ground; form: 'short' | 'long' },
  { placed, over }: Orders,
): { toolkit: Toolkit; release(): Promise<Outcome> } {
  const sockets = attack.sockets[form]
  const { hostname, port } = new URL(ground.url)
  const open = new Set<Socket>()
  const counted: Outcome = { sockets: 0, requests: 0, sentBytes: 0, answeredBytes: 0, statuses: {} }
  let isOver = false
  const ended = over.then(() => {
    isOver = true
  })
  const requestsMax = form === 'long' ? Number.POSITIVE_INFINITY : (attack.requests ?? sockets)

  /** Says whether it was connected, when the connection is gone; bytes and statuses are counted as they come. */
  function dial(index: number, made: ConnectionEvents): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: peerOf(attack, index), noDelay: true })
      let wasConnected = false
      const read = createStatusReader((status) => {
        counted.statuses[status] = (counted.statuses[status] ?? 0) + 1
        made.answered?.(socket, status)
      })
      open.add(socket)
      socket.on('connect', () => {
        wasConnected = true
        counted.sockets = Math.max(counted.sockets, open.size)
        made.connected(socket)
      })
      // Without a listener to `data` no more is read than fits into the socket's own buffer.
      if (made.reads !== 'nothing') {
        socket.on('data', (chunk) => {
          counted.answeredBytes += chunk.length
          read(chunk)
        })
      }
      socket.on('error', () => {})
      socket.on('close', () => {
        counted.sentBytes += socket.bytesWritten - socket.writableLength
        open.delete(socket)
        resolve(wasConnected)
      })
    })
  }

  /** One attacker's place: dialled again until `isDone`. */
  async function keep(index: number, make: () => ConnectionEvents, isDone: (times: number) => boolean, again: number) {
    for (let times = 0; !isDone(times) && !isOver; times++) {
      const wasConnected = await dial(index, make())
      if (!isOver) await Promise.race([pause(wasConnected ? again : reopenMilliseconds.refused), ended])
    }
  }

  const toolkit: Toolkit = {
    ground,
    async hold({ send, trickle, reads, requests = 1 }) {
      const one = (index: number) => {
        const { promise: offered, resolve: offer } = Promise.withResolvers<void>()
        const make = (): ConnectionEvents => ({
          reads: reads === 'nothing' ? 'nothing' : 'everything',
          connected(socket) {
            counted.requests += requests
            if (typeof reads === 'object') readSlowly(socket, reads)
            if (reads === 'nothing' && form === 'long') after(socket, unreadMilliseconds, () => socket.destroy())
            // What the other side does not take stays with us: that it was offered is all that there is to do.
            socket.write(send(index), () => offer())
            if (trickle) repeat(socket, trickle.everyMilliseconds, () => socket.write(trickle.bytes))
          },
        })
        void keep(index, make, (times) => times > heldAgainMax[form], reopenMilliseconds.held).then(offer)
        return Promise.race([offered, pause(offeredMilliseconds)])
      }
      await inTurns(sockets, openingMax, one)
      placed()
      await ended
    },

    async flood({ ahead, next }) {
      let sent = 0
      const { promise: spent, resolve: allSent } = Promise.withResolvers<void>()
      const send = (socket: Socket): void => {
        if (sent >= requestsMax) allSent()
        if (sent >= requestsMax || isOver || socket.destroyed) return
        counted.requests++
        socket.write(next(sent++))
      }
      const make = (): ConnectionEvents => ({
        reads: 'everything',
        connected(socket) {
          for (let count = 0; count < ahead; count++) send(socket)
        },
        answered: (socket, status) => {
          if (status !== 100) send(socket)
        },
      })
      const places = Array.from({ length: sockets }, (_, index) =>
        keep(index, make, () => sent >= requestsMax, reopenMilliseconds.flooding),
      )
      // A connection that is cut off with its answer ends its place without another request.
      void Promise.all(places).then(() => allSent())
      if (form === 'short') await Promise.race([spent, ended])
      placed()
      await ended
    },

    async storm({ send, everyMilliseconds }) {
      const offer = (index: number): Promise<void> =>
        new Promise((resolve) => {
          const connected = (socket: Socket): void => {
            counted.requests++
            socket.write(send(index), () => resolve())
          }
          void dial(index, { reads: 'everything', connected }).then(() => resolve())
        })
      for (let times = 0; !isOver && times <= heldAgainMax[form]; times++) {
        for (const socket of open) socket.destroy()
        await Promise.race([Promise.all(Array.from({ length: sockets }, (_, index) => offer(index))), ended])
        if (times > 0) placed()
        await Promise.race([pause(Math.min(everyMilliseconds, stormMillisecondsMax[form])), ended])
      }
      await ended
    },

    async hitAndRun(bytes) {
      let sent = 0
      const one = async (index: number): Promise<void> => {
        while (sent < requestsMax && !isOver) {
          const shot = bytes(sent++)
          await dial(index, {
            reads: 'everything',
            connected(socket) {
              counted.requests++
              socket.write(shot, () => after(socket, goneMilliseconds, () => socket.destroy()))
              after(socket, offeredMilliseconds, () => socket.destroy())
            },
          })
        }
      }
      await Promise.race([inTurns(sockets, sockets, one), ended])
      placed()
      await ended
    },
  }

  return {
    toolkit,
    async release() {
      isOver = true
      const gone = Array.from(open, (socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of open) socket.destroy()
      await Promise.all(gone)
      return counted
    },
  }
}

type ConnectionEvents = {
  reads: 'everything' | 'nothing'
  connected(socket: Socket): void
  answered?(socket: Socket, status: number): void
}

/** Long enough for what was sent to be taken up before its sender is gone. */
const goneMilliseconds = 5

/** Each peer is an address of the loopback network; 127.0.0.0/24 belongs to the others. */
const peerOf = ({ peers = 1 }: Attack, index: number): string => {
  const peer = index % peers
  return `127.66.${Math.floor(peer / 250)}.${1 + (peer % 250)}`
}

function readSlowly(socket: Socket, { bytes, everyMilliseconds }: { bytes: number; everyMilliseconds: number }): void {
  socket.pause()
  repeat(socket, everyMilliseconds, () => void socket.read(bytes))
}

function repeat(socket: Socket, everyMilliseconds: number, work: () => void): void {
  const timer = setInterval(() => {
    if (!socket.destroyed) work()
  }, everyMilliseconds)
  socket.once('close', () => clearInterval(timer))
}

function after(socket: Socket, milliseconds: number, work: () => void): void {
  const timer = setTimeout(work, milliseconds)
  socket.once('close', () => clearTimeout(timer))
}

async function inTurns(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
