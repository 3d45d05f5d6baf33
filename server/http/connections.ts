import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createHeap, type HeapEntry, notIn } from '../fair/heap.ts'
import { networkOf } from '../fair/shares.ts'
import type { App } from './app.ts'
import { openResting } from './resting-connections.ts'
import { turnsOf } from './turns.ts'

export type Connections = ReturnType<typeof openConnections>

/** The memory and the turns of one request. */
export type Budget = {
  /** Whether the connection is one of the spare ones beyond the maximum, for health checks. */
  isSpare: boolean
  /** Returns whether this many more bytes may be held for the peer of the connection. */
  has(bytes: number): boolean
  /** Counts bytes that are held until the answer is sent. */
  hold(bytes: number): void
  /** Waits until this request may move the next chunk of a long body or answer. */
  turn(): Promise<void>
  /** Stops reading from the connection while its caller waits. Returns the function that resumes it. */
  rest(): () => void
}

type Connection = {
  peer: Peer
  underWay: number
  held: number
  spare: boolean
  /** Bytes that the system had taken at the last sweep with progress. */
  taken: number
  movedAt: number
  stuck: boolean
}

/** An IPv4 address, or an IPv6 network, all addresses of which belong to one caller. */
type Peer = HeapEntry & {
  network: string
  open: number
  held: number
  /** Connections without a request, the one that is idle for longest first. */
  idle: Set<Socket>
}

/** Spare connections beyond the maximum, for health checks. */
const sparesMax = 32
/** The part of the limit of bytes that one peer may use. */
const shareOfPeer = 1 / 4
/** Bytes that each peer has in any case: who reads its answers is not refused because of those who do not. */
const littleBytes = 64 * 1024
/** Chunks of long answers and bodies that move in a turn of the event loop: some tenths of a millisecond. */
const piecesATurn = 8
/** New connections that are read in a turn of the event loop. */
const connectionsATurn = 8
const sweepsPerTimeout = 8
const sweepMostMilliseconds = 5000

/**
 * Opens the callers' connections of a process, and counts the bytes that it holds for them: bodies that are being
 * received, and answers that are not read yet. Both are limited, for all callers and for each peer. Decisions,
 * Connections.
 */
export function openConnections({
  config: { callersMax, bufferBytes, writeTimeout },
  clock,
  metrics,
  log,
}: Pick<App, 'config' | 'clock' | 'metrics' | 'log'>) {
  const all = new Map<Socket, Connection>()
  const peers = new Map<string, Peer>()
  /** The peers with idle connections, the one with most connections first. */
  const crowds = createHeap<Peer>((one, other) => one.open > other.open)
  const spares = new Set<Socket>()
  let held = 0
  const turn = turnsOf(piecesATurn)
  const firstTurn = turnsOf(connectionsATurn)
  const resting = openResting()

  /** Moves a peer to its place in the heap after its connections have changed. */
  const place = (peer: Peer): void => {
    if (peer.idle.size > 0) crowds.putIn(peer)
    else if (peer.index !== notIn) crowds.takeOut(peer)
  }
  const forget = (socket: Socket): void => {
    const connection = all.get(socket)
    if (!connection) return
    const { peer } = connection
    all.delete(socket)
    spares.delete(socket)
    peer.idle.delete(socket)
    peer.held -= connection.held
    held -= connection.held
    if (--peer.open === 0) peers.delete(peer.network)
    place(peer)
    metrics.connected(all.size)
  }
  const end = (socket: Socket, why: 'idle' | 'unread'): true => {
    metrics.cut(why)
    log.debug({ peer: all.get(socket)?.peer.network, why }, 'a connection was closed')
    forget(socket)
    socket.destroy()
    return true
  }
  /** Ends the longest idle connection of the peer with most connections; else one whose answer is not read. */
  const evictOne = (): boolean => {
    const [crowd] = crowds.entries
    const [idle] = crowd?.idle ?? []
    if (idle) return end(idle, 'idle')
    for (const [socket, { stuck, spare }] of all) if (stuck && !spare) return end(socket, 'unread')
    return false
  }
  /** Makes room for a spare: ends the oldest without a request, of the peer with most connections. */
  const createSpare = (): boolean => {
    if (spares.size < sparesMax) return true
    const idle = [...spares].filter((socket) => all.get(socket)?.underWay === 0)
    const open = (socket: Socket): number => all.get(socket)?.peer.open ?? 0
    const most = Math.max(...idle.map(open))
    const oldest = idle.find((socket) => open(socket) === most)
    return oldest ? end(oldest, 'idle') : false
  }
  const peerOf = (address: string | undefined): Peer => {
    const network = networkOf(address)
    const peer = peers.get(network) ?? { network, index: notIn, open: 0, held: 0, idle: new Set() }
    peers.set(network, peer)
    return peer
  }
  const sweep = (): void => {
    const now = clock.elapsed()
    for (const [socket, connection] of all) {
      const taken = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || taken !== connection.taken)
        Object.assign(connection, { taken, movedAt: now, stuck: false })
      else if (now - connection.movedAt < writeTimeout) connection.stuck = true
      else end(socket, 'unread')
    }
  }
  const timer = setInterval(sweep, Math.min(writeTimeout / sweepsPerTimeout, sweepMostMilliseconds)).unref()

  return {
    accept(socket: Socket): void {
      const isFull = all.size - spares.size >= callersMax
      const spare = isFull && !evictOne()
      if (spare && !createSpare()) {
        socket.destroy()
        metrics.cut('full')
        return
      }
      const peer = peerOf(socket.remoteAddress)
      peer.open++
      if (spare) spares.add(socket)
      else peer.idle.add(socket)
      place(peer)
      all.set(socket, { peer, underWay: 0, held: 0, spare, taken: 0, movedAt: clock.elapsed(), stuck: false })
      socket.once('close', () => forget(socket))
      metrics.connected(all.size)
    },
    /** Marks a connection as busy with a request, until its answer is sent. */
    begin(socket: Socket, response: ServerResponse): Budget {
      const connection = all.get(socket)
      // The connection was closed before its request was seen.
      if (!connection) return { isSpare: false, has: () => false, hold: () => {}, turn, rest: () => () => {} }
      const { peer } = connection
      let own = 0
      const count = (bytes: number): void => {
        if (!all.has(socket)) return
        own += bytes
        connection.held += bytes
        peer.held += bytes
        held += bytes
      }
      if (connection.underWay++ === 0 && peer.idle.delete(socket)) place(peer)
      response.once('close', () => {
        count(-own)
        if (--connection.underWay > 0 || !all.has(socket) || connection.spare) return
        peer.idle.add(socket)
        place(peer)
      })
      return {
        isSpare: connection.spare,
        has: (bytes) =>
          peer.held < bufferBytes * shareOfPeer && (held < bufferBytes || peer.held + bytes <= littleBytes),
        hold: count,
        turn,
        rest: () => resting.rest(socket),
      }
    },
    /** Waits until it is the turn of a new connection to be read from; peers take turns. */
    firstTurn: (socket: Socket): Promise<void> => firstTurn(networkOf(socket.remoteAddress)),
    /** Ends connections whose answers are not read. A timer calls it, too. */
    sweep,
    close(): void {
      clearInterval(timer)
      resting.close()
    },
  }
}
