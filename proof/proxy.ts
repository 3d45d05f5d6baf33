import { connect } from 'node:net'
import { openRelay, type Line as RelayLine } from './relay.ts'
import type { PostgresAddress } from './service.ts'

/** What happens to one message of a write on its way to PostgreSQL. */
export const messageFaults = ['not sent', 'not answered', 'cut within', 'stalled'] as const
export type MessageFault = (typeof messageFaults)[number]

/** The way from a service to PostgreSQL, on which one message can fail. */
export type Way = {
  url: string
  /** Begins to count the messages of writes anew; the one with this number fails so. */
  watch(fault?: { number: number; is: MessageFault }): void
  /** Messages counted since. */
  counted(): number
  hasFailed(): boolean
  /** Delivers what is held back. */
  heal(): void
  close(): Promise<void>
}

/** What the first message of each write has in it: the statement by which it passes the gate of its company. */
const firstOfWrite = 'gate.pass\0'

type Line = RelayLine & { isWriting: boolean; isMute: boolean; held: (() => void)[] | null }

export async function openWay({ socket, user, password, database }: PostgresAddress): Promise<Way> {
  let fault: { number: number; is: MessageFault } | undefined
  let count = 0
  let isOver = false

  const cut = ({ near, far }: Line): void => {
    near.resetAndDestroy()
    far.destroy()
  }
  const pass = (line: Line, act: () => void): void => {
    if (line.held) line.held.push(act)
    else act()
  }
  const fail = (line: Line, chunk: Buffer, is: MessageFault): void => {
    isOver = true
    if (is === 'not sent') cut(line)
    else if (is === 'cut within') line.far.write(chunk.subarray(0, chunk.length >> 1), () => cut(line))
    else if (is === 'not answered') {
      line.isMute = true
      line.far.write(chunk)
    } else {
      line.held = []
      pass(line, () => line.far.write(chunk))
    }
  }

  const relay = await openRelay<Line>(
    (near) => ({ near, far: connect(socket), isWriting: false, isMute: false, held: null }),
    (line, to, act, chunk) => {
      if (chunk === undefined) return pass(line, act)
      if (to === 'database') {
        line.isWriting ||= chunk.includes(firstOfWrite)
        if (line.isWriting && !isOver && ++count === fault?.number) return fail(line, chunk, fault.is)
      }
      // The work is done, and the caller gets no answer.
      else if (line.isMute) return cut(line)
      pass(line, act)
    },
  )
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${relay.port}/${database}`,
    watch(next) {
      fault = next
      count = 0
      isOver = false
      for (const line of relay.lines) line.isWriting = false
    },
    counted: () => count,
    hasFailed: () => isOver,
    heal() {
      for (const line of relay.lines) {
        const held = line.held ?? []
        line.held = null
        for (const act of held) act()
      }
    },
    close: relay.close,
  }
}
