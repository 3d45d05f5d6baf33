import type pg from 'pg'
import type { BriefStatement } from '#derive/queries/brief.ts'
import { type Key, makeTurns, type Turns } from '../fair/turns.ts'
import { asFault, Fault } from './faults.ts'
import { type Lane, makeLane } from './lane.ts'

/**
 * A few connections that all brief reads share. Those who ask the same while a connection is free to answer are
 * answered by one statement: a statement for each would wake a backend, plan, and describe its columns for each. When
 * nobody else asks, it is one statement for one. Nothing is carried from one statement to the next: each stands by
 * itself, outside a transaction, and begins after everyone whom it answers has asked.
 */
export type Lanes = {
  /** The row that answers, if any. */
  read<Row>(statement: BriefStatement, share: Key): Promise<Row[]>
  /** Reads that wait for their turn. */
  waiting(): number
  close(): Promise<void>
}

type Question = {
  values: readonly unknown[]
  since: number
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** Those who ask the same and wait; whoever asks much leaves places to the others. */
type Group = Pick<BriefStatement, 'name' | 'text' | 'together'> & { questions: Turns<Question>; underWay: number }

/** Enough to keep the processors of a database busy; more only wakes more processes. */
export const laneCount = 3
/** Milliseconds that a question waits for its like while a lane is free. */
const gatheringTimeMax = 5
/** More of one who asks would wait longer than he should. */
const waitingMax = 1200

/** Milliseconds that a read waits for its turn, and for its answer after that. */
export type Patience = { waitingTimeMax: number; answerTimeMax: number }

export function openLanes(
  config: pg.ClientConfig,
  { waitingTimeMax, answerTimeMax }: Patience,
  onError: (error: Error) => void,
): Lanes {
  const lanes = Array.from({ length: laneCount }, () => makeLane(config, onError))
  /** By name; as many as there are kinds of brief reads. */
  const groups = new Map<string, Group>()
  let waitingCount = 0
  let planned = false
  let closed = false

  /** After everything that came in this turn of the event loop has asked. */
  const plan = (): void => {
    if (planned) return
    planned = true
    setImmediate(sendAll)
  }

  const sendAll = (): void => {
    planned = false
    const now = performance.now()
    for (const group of groups.values()) {
      if (!isReady(group, now)) continue
      const lane = lanes.find(({ busySince }) => busySince === null)
      if (!lane) return
      // Behind the others, where this loop meets it again.
      groups.delete(group.name)
      groups.set(group.name, group)
      void send(lane, group, taken(group))
    }
  }

  const send = async (lane: Lane, group: Group, questions: Question[]): Promise<void> => {
    waitingCount -= questions.length
    lane.busySince = performance.now()
    group.underWay++
    const askers = questions.map(({ values }) => values)
    try {
      await lane.ask(group, askers, (asker, row) => questions[asker]?.resolve([row]))
      // Those to whom no row came.
      for (const { resolve } of questions) resolve([])
    } catch (error) {
      for (const { reject } of questions) reject(asFault(error))
    } finally {
      lane.busySince = null
      group.underWay--
      sendAll()
    }
  }

  /** Those who have waited for a lane for too long hear so, as they would if they waited for a connection. */
  const refuseLate = (): void => {
    const late = performance.now() - waitingTimeMax
    for (const group of groups.values()) {
      const left = group.questions.remove(({ since }) => since <= late)
      for (const { reject } of left) reject(tooLong())
      waitingCount -= left.length
    }
  }
  // Not by the driver's `query_timeout`: a timer for each statement kept what it asked and what came, long after.
  const giveUpHung = (): void => {
    const late = performance.now() - answerTimeMax
    for (const lane of lanes) if ((lane.busySince ?? late) < late) lane.giveUp()
  }
  const clock = setInterval(() => {
    giveUpHung()
    refuseLate()
    sendAll()
  }, waitingTimeMax / 10).unref()

  return {
    read<Row>({ name, text, together, values }: BriefStatement, share: Key) {
      const group = groups.get(name) ?? { name, text, together, questions: makeTurns<Question>(), underWay: 0 }
      const { questions } = group
      if (closed || questions.sizeOf(share) >= waitingMax) return Promise.reject(tooMany())
      groups.set(name, group)
      waitingCount++
      plan()
      return new Promise<Row[]>((resolve, reject) => {
        questions.push(share, { values, since: performance.now(), resolve: resolve as Question['resolve'], reject })
      })
    },
    waiting: () => waitingCount,
    close: async () => {
      closed = true
      clearInterval(clock)
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/**
 * A group leaves when none of its name is under way, or when it is full: those who ask while others are answered gather,
 * the more the busier it is, and one who asks alone waits for nobody. Nor does anybody wait long for a lane that hangs.
 */
const isReady = ({ questions, underWay, together }: Group, now: number): boolean =>
  questions.size > 0 &&
  (underWay === 0 || questions.size >= together || now - (questions.first() as Question).since > gatheringTimeMax)

/** As many as one statement answers, each who asks in turn. */
function taken({ questions, together }: Group): Question[] {
  const count = Math.min(questions.size, together)
  return Array.from({ length: count }, () => questions.shift() as Question)
}

const tooMany = (): Fault => new Fault('unavailable', new Error('too many reads wait'))
const tooLong = (): Fault => new Fault('unavailable', new Error('a read waited too long for its turn'))
