import { connect, createServer, type Socket } from 'node:net'
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

type Line = { near: Socket; far: Socket; isWriting: boolean; isMute: boolean; held: (() => void)[] | null }

export async function openWay({ socket, user, password, database }: PostgresAddress): Promise<Way> {
  const lines = new Set<Line>()
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

  const server = createServer((near) => {
    const line: Line = { near, far: connect(socket), isWriting: false, isMute: false, held: null }
    lines.add(line)
    const { far } = line
    near.setNoDelay(true)
    near.on('error', () => {}).on('close', () => pass(line, () => far.destroySoon()))
    far.on('error', () => {}).on('close', () => pass(line, () => near.destroySoon()))
    far.on('close', () => lines.delete(line))
    near.on('data', (chunk) => {
      line.isWriting ||= chunk.includes(firstOfWrite)
      if (line.isWriting && !isOver && ++count === fault?.number) return fail(line, chunk, fault.is)
      pass(line, () => far.destroyed || far.write(chunk))
    })
    far.on('data', (chunk) => {
      // The work is done, and whoever asked for it does not hear so.
      if (line.isMute) cut(line)
      else pass(line, () => near.destroyed || near.write(chunk))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    watch(next) {
      fault = next
      count = 0
      isOver = false
      for (const line of lines) line.isWriting = false
    },
    counted: () => count,
    hasFailed: () => isOver,
    heal() {
      for (const line of lines) {
        const held = line.held ?? []
        line.held = null
        for (const act of held) act()
      }
    },
    close: () =>
      new Promise((resolve) => {
        for (const { near, far } of lines) for (const end of [near, far]) end.destroy()
        server.close(() => resolve())
      }),
  }
}
