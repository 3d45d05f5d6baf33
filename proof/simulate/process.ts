import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openRelay, type Line as RelayLine } from '../relay.ts'
import type { Order, RestReport } from './orders.ts'
import { type Asked, createAnswerReader, endsReady, readAsked } from './wire.ts'

/** A connection of a service to PostgreSQL, over which nothing goes but what the scheduler lets go. */
export type Conversation = RelayLine & {
  name: string
  /** What the service has sent and PostgreSQL does not have yet. */
  asked: Buffer[]
  /** What PostgreSQL has answered and the service does not have yet. */
  answers: Buffer[]
  /** What these answers say. */
  said: string[]
  /** Answers that PostgreSQL still owes. */
  owed: number
  pid: number | undefined
  hasBegun: boolean
  /** Its statements wait for a lock for a moment only, which PostgreSQL itself ends. */
  isBrief: boolean
  /** The service, or PostgreSQL, has closed it. */
  isLeft: boolean
  isLost: boolean
  /** While messages pass freely: the last one was the end of an answer of PostgreSQL. */
  isServed: boolean
  /** The last message that went to PostgreSQL. */
  last: Asked | null
  read: ReturnType<typeof createAnswerReader>
}

/** A process of the service whose clock, random bits and messages to PostgreSQL are the scheduler's. */
export type SimulatedService = {
  name: string
  url: string
  conversations: ReadonlySet<Conversation>
  /** Calls that were sent to it, and those that it has answered. */
  calls: { sent: number; answered: number }
  advance(byMs: number): Promise<void>
  /** Resolves when it has nothing left to do without new input. */
  untilAtRest(): Promise<void>
  /** Lets a message of it go to PostgreSQL. */
  send(conversation: Conversation): Asked
  /** Gives it what PostgreSQL has answered. */
  answer(conversation: Conversation): void
  /** Ends a connection on both sides at once. */
  cut(conversation: Conversation): void
  /** Lets everything go from now on, and its clock run. */
  letGo(): Promise<void>
  /** What it has said on its standard error. */
  said(): string
  close(): Promise<void>
}

type StartRequest = {
  name: string
  checkout: string
  socket: string
  database: string
  seed: number
  settings: { [name: string]: string }
  /** Hears that PostgreSQL has answered something. */
  onAnswer(): void
}

/** The longest that a service may take to come to rest, in milliseconds. */
const restMostMs = 30_000
const inject = join(import.meta.dirname, 'inject.ts')

export async function startSimulated(asked: StartRequest): Promise<SimulatedService> {
  const { name, checkout, socket, database, seed, settings, onAnswer } = asked
  let count = 0
  let isFree = true
  const relay = await openRelay<Conversation>(
    (near) => ({
      ...{ near, far: connect(socket), name: `${name}.${++count}`, asked: [], answers: [], said: [], owed: 0 },
      ...{ pid: undefined, hasBegun: false, isBrief: false, isLeft: false, isLost: false, isServed: false, last: null },
      read: createAnswerReader(),
    }),
    (line, to, act, chunk) => {
      if (isFree) {
        if (chunk) line.isServed = to === 'service' && endsReady(chunk)
        return act()
      }
      if (to === 'database') {
        if (chunk) line.asked.push(chunk)
        else line.isLeft = true
        return
      }
      onAnswer()
      if (!chunk) {
        line.isLost = true
        line.owed = 0
        return
      }
      line.answers.push(chunk)
      const { said, complete, pid } = line.read(chunk)
      line.said.push(...said)
      line.owed -= complete
      line.pid ??= pid
    },
  )
  const command = join(checkout, 'server/commands/main.ts')
  const child = spawn(process.execPath, ['--import', inject, command, '--json', 'serve', '--as-built'], {
    cwd: checkout,
    env: {
      ...process.env,
      ...{ PLUMBLINE_DEMO: 'off', PORT: '0', LOG_LEVEL: 'warn', LOG_FORMAT: 'json', PROCESSES: '1' },
      ...{ DATABASE_URL: `postgres://plumbline:none@127.0.0.1:${relay.port}/${database}`, ...settings },
      SIMULATE_SEED: String(seed),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C is for the scheduler alone.
    detached: true,
  })
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said = (said + chunk).slice(-20_000)
  })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const found = /"url":\s*"([^"]+)"/.exec(text)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${said}`)))
  })

  const calls = { sent: 0, answered: 0 }
  const isAtRest = ({ begun, finished, busy, sockets }: RestReport): boolean => {
    const open = [...relay.lines].filter(({ near }) => !near.destroyed)
    const byPort = new Map(sockets.map((one) => [one.port, one]))
    return (
      busy.length === 0 &&
      begun === calls.sent &&
      finished === calls.answered &&
      open.length === sockets.length &&
      open.every(({ near }) => {
        const own = byPort.get(near.remotePort ?? -1)
        return own !== undefined && own.read === near.bytesWritten && own.written === near.bytesRead
      }) &&
      // While messages pass freely, the answers that PostgreSQL owes are not counted.
      (!isFree || open.every(({ isServed }) => isServed))
    )
  }
  const untilAtRest = async (order: Order = { is: 'report' }): Promise<void> => {
    let report = await giveOrder(child, order)
    for (const untilMs = performance.now() + restMostMs; !isAtRest(report); ) {
      if (performance.now() > untilMs)
        throw new Error(`${name} does not come to rest: ${JSON.stringify({ report, calls })} ${said}`)
      await new Promise((resolve) => setImmediate(resolve))
      report = await giveOrder(child, { is: 'report' })
    }
  }
  const cut = ({ near, far }: Conversation): void => {
    near.resetAndDestroy()
    far.destroy()
  }
  const close = async (): Promise<void> => {
    const ended = child.exitCode === null ? new Promise((resolve) => child.once('exit', resolve)) : null
    child.kill('SIGKILL')
    await ended
    await relay.close()
  }
  try {
    // What it does by itself at its start is over; from here on it begins with no connection.
    await untilAtRest({ is: 'stop' })
    // However long the start took, each job has now looked at the database once.
    await untilAtRest({ is: 'advance', byMs: 3000 })
    for (const line of relay.lines) cut(line)
    while (relay.lines.size > 0) await new Promise((resolve) => setImmediate(resolve))
    await untilAtRest({ is: 'stop' })
  } catch (error) {
    await close()
    throw error
  }
  count = 0
  isFree = false
  return {
    ...{ name, url, calls, cut, close, untilAtRest },
    conversations: relay.lines,
    advance: (byMs) => untilAtRest({ is: 'advance', byMs }),
    send(line) {
      const bytes = withoutLimits(Buffer.concat(line.asked.splice(0)), line.hasBegun)
      const asked = readAsked(bytes, !line.hasBegun)
      line.hasBegun = true
      line.owed += asked.answers
      line.last = asked
      if (asked.statements.includes('wait-briefly')) line.isBrief = true
      if (asked.statements.some((name) => name === 'commit' || name === 'rollback')) line.isBrief = false
      line.far.write(bytes)
      return asked
    },
    answer(line) {
      const bytes = Buffer.concat(line.answers.splice(0))
      line.said = []
      if (bytes.length > 0) line.near.write(bytes)
      if (line.isLost) line.near.destroySoon()
    },
    async letGo() {
      isFree = true
      for (const line of relay.lines) {
        for (const chunk of line.asked.splice(0)) line.far.write(chunk)
        for (const chunk of line.answers.splice(0)) line.near.write(chunk)
        if (line.isLeft) line.far.destroySoon()
        if (line.isLost) line.near.destroySoon()
      }
      await giveOrder(child, { is: 'run' })
    },
    said: () => said,
  }
}

/**
 * PostgreSQL ends what takes too long by a clock that is not the scheduler's, so the start of a session asks it for no limits.
 */
function withoutLimits(bytes: Buffer, hasBegun: boolean): Buffer {
  if (hasBegun) return bytes
  const limit = /((?:statement|lock|session)_timeout=)(\d+)/g
  const text = bytes
    .toString('latin1')
    .replace(limit, (_, name: string, digits: string) => name + '0'.repeat(digits.length))
  return Buffer.from(text, 'latin1')
}

/** Gives an order and returns the report that answers it. Throws if the service is gone. */
function giveOrder(child: ChildProcess, order: Order): Promise<RestReport> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('a service ended within a schedule'))
    if (!child.connected) return fail()
    child.once('disconnect', fail)
    child.once('message', (report) => {
      child.off('disconnect', fail)
      resolve(report as RestReport)
    })
    child.send(order)
  })
}
