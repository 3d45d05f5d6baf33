import { record } from '../histogram.ts'
import { arrivals, type DueArrival, type Phase } from './arrivals.ts'
import { createResponseReader } from './response-reader.ts'
import { count, type PhaseResult, pouredOf, type Tally, tallyOf } from './tally.ts'
import { type BenchShot, type Line, openLine, timeoutMilliseconds } from './volley.ts'

const connectionsFirst = 32
/** Callers open another connection while all are busy. At this number they wait for one. */
const connectionsMax = 2000

/**
 * Sends each request at its time, however many answers are missing. A refusal by overload is an answer. Any other
 * unexpected answer, and a lost connection, fails the run.
 */
export async function pour(
  place: { host: string; port: number },
  phases: readonly Phase[],
  next: () => BenchShot,
  random: () => number,
): Promise<{ phases: PhaseResult[]; connections: number }> {
  const tallies = phases.map(tallyOf)
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const callers: Callers = { waiting: [], idle: [], missing: 0, answered: () => {}, fail }
  const lines: Line[] = []
  let opened = 0
  const more = async (): Promise<void> => {
    opened++
    const line = await openLine(place)
    lines.push(line)
    serveLine(line, callers)
  }
  let late: NodeJS.Timeout | undefined
  const work = async (): Promise<void> => {
    await Promise.all(Array.from({ length: connectionsFirst }, more))
    await arrivals(phases, random, (due) => {
      const tally = tallies[due.phase] as Tally
      tally.arrivals++
      callers.missing++
      const wanted = { due, tally, shot: next() }
      const send = callers.idle.shift()
      if (send) send(wanted)
      else {
        callers.waiting.push(wanted)
        if (opened < connectionsMax) more().catch(fail)
      }
    })
    late = setTimeout(() => fail(new Error(`no answer within ${timeoutMilliseconds / 1000} s`)), timeoutMilliseconds)
    callers.answered = () => {
      if (callers.missing === 0) end()
    }
    callers.answered()
    await over
  }
  try {
    await Promise.race([work(), failed])
  } finally {
    clearTimeout(late)
    for (const { socket } of lines) socket.removeAllListeners('close').destroy()
  }
  return { phases: tallies.map(pouredOf), connections: opened }
}

type PourRequest = { due: DueArrival; tally: Tally; shot: BenchShot }

type Callers = {
  /** The waiting requests, the oldest first. */
  waiting: PourRequest[]
  /** The idle connections, the longest idle first, because a server closes connections that are idle for long. */
  idle: ((wanted: PourRequest) => void)[]
  missing: number
  answered: () => void
  fail: (error: unknown) => void
}

/** Sends one request at a time over a connection, the oldest waiting one first. */
function serveLine(line: Line, callers: Callers): void {
  const reader = createResponseReader()
  let current: PourRequest | undefined
  const send = (wanted: PourRequest): void => {
    current = wanted
    record(wanted.tally.left, performance.now() - wanted.due.at)
    line.socket.write(wanted.shot.bytes)
  }
  const rest = (): void => {
    const oldest = callers.waiting.shift()
    if (oldest) send(oldest)
    else callers.idle.push(send)
  }
  line.onBytes = (chunk, length) => {
    // An answer without a request: the server is about to close an idle connection.
    if (!current) return
    try {
      const answer = reader.take(chunk, length)
      if (!answer) return
      const { due, tally, shot } = current
      current = undefined
      count(tally, due.within, shot, answer, performance.now() - due.at)
      rest()
      callers.missing--
      callers.answered()
    } catch (error) {
      callers.fail(error)
    }
  }
  line.socket.once('error', callers.fail)
  line.socket.once('close', () => {
    callers.idle = callers.idle.filter((one) => one !== send)
    if (current) callers.fail(new Error('the server closed a connection while it was used'))
  })
  rest()
}
