import type pg from 'pg'
import type { BriefStatement } from '#sql/brief.ts'
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
  share: Key
  values: readonly unknown[]
  since: number
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** Those who ask the same and wait; whoever asks much leaves places to the others. */
type Group = Pick<BriefStatement, 'name' | 'text' | 'together'> & {
  questions: Turns<Question>
  underWay: number
  /** How long an answer was lately, in characters: the longest of a statement, forgotten by and by. */
  longest: number
  askers: Map<Key, Asker>
}

/** Who has asked and has not heard yet. Until the first answer nobody knows how long the others will be. */
type Asker = { open: number; isKnown: boolean; held: Question[] }

/** Enough to keep the processors of a database busy; more only wakes more processes. */
export const laneCount = 3
/** Milliseconds that a question waits for its like while a lane is free. */
const gatheringTimeMax = 5
/** More of one who asks would wait longer than he should. */
const waitingMax = 1200
/**
 * Characters that one statement should answer at most. A page of records that are as long as they may be has six million:
 * sixteen of them by one statement would hold a lane for a second, and their memory at once.
 */
const answerMost = 2_000_000
/** Questions of one who asks that go ahead before the first answer to him. */
const aheadMost = 2
/** Of the longest answer, what the next statement remembers. */
const remembered = 0.9

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
    group.longest *= remembered
    try {
      await lane.ask(group, askers, (asker, row) => {
        group.longest = Math.max(group.longest, row.json?.length ?? 0)
        questions[asker]?.resolve([row])
      })
      // No row is an answer too, as all forged tokens get it.
      for (const { share } of questions) askerOf(group, share).isKnown = true
      // Those to whom no row came.
      for (const { resolve } of questions) resolve([])
    } catch (error) {
      for (const { reject } of questions) reject(asFault(error))
    } finally {
      lane.busySince = null
      group.underWay--
      for (const { share } of questions) leave(group, share)
      sendAll()
    }
  }

  const enter = (group: Group, question: Question): void => {
    askerOf(group, question.share).open++
    group.questions.push(question.share, question)
    plan()
  }
  /** One question less of whoever asks; those of his that were held go ahead, all of them once an answer has come. */
  const leave = (group: Group, share: Key): void => {
    const asker = askerOf(group, share)
    asker.open--
    const next = asker.isKnown ? asker.held.splice(0) : asker.held.splice(0, aheadMost - asker.open)
    for (const question of next) enter(group, question)
    if (asker.open === 0) group.askers.delete(share)
  }

  /** Those who have waited for a lane for too long hear so, as they would if they waited for a connection. */
  const refuseLate = (): void => {
    const late = performance.now() - waitingTimeMax
    for (const group of groups.values()) {
      const isLate = ({ since }: Question): boolean => since <= late
      const held = [...group.askers.values()].flatMap((asker) => {
        const left = asker.held.filter(isLate)
        if (left.length > 0) asker.held = asker.held.filter((question) => !isLate(question))
        return left
      })
      const left = group.questions.remove(isLate)
      for (const { share } of left) leave(group, share)
      for (const { reject } of [...held, ...left]) reject(tooLong())
      waitingCount -= held.length + left.length
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
      const group: Group = groups.get(name) ?? {
        ...{ name, text, together },
        ...{ questions: makeTurns<Question>(), underWay: 0, longest: 0, askers: new Map() },
      }
      const asker = askerOf(group, share)
      if (closed || asker.open + asker.held.length >= waitingMax) return Promise.reject(tooMany())
      groups.set(name, group)
      waitingCount++
      return new Promise<Row[]>((resolve, reject) => {
        const since = performance.now()
        const question: Question = { share, values, since, resolve: resolve as Question['resolve'], reject }
        if (asker.isKnown || asker.open < aheadMost) enter(group, question)
        else asker.held.push(question)
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
const isReady = (group: Group, now: number): boolean => {
  const { questions, underWay } = group
  if (questions.size === 0) return false
  const first = questions.first() as Question
  return underWay === 0 || questions.size >= fullAt(group) || now - first.since > gatheringTimeMax
}

/** As many as one statement answers, each who asks in turn. */
function taken(group: Group): Question[] {
  const count = Math.min(group.questions.size, fullAt(group))
  return Array.from({ length: count }, () => group.questions.shift() as Question)
}

function askerOf({ askers }: Group, share: Key): Asker {
  let asker = askers.get(share)
  if (!asker) {
    asker = { open: 0, isKnown: false, held: [] }
    askers.set(share, asker)
  }
  return asker
}

const fullAt = ({ together, longest }: Group): number =>
  longest * together <= answerMost ? together : Math.max(1, Math.floor(answerMost / longest))

const tooMany = (): Fault => new Fault('unavailable', new Error('too many reads wait'))
const tooLong = (): Fault => new Fault('unavailable', new Error('a read waited too long for its turn'))
