import type pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import { createTurns, type Key, type Turns } from '../fair/turns.ts'
import type { Deadline } from './deadline.ts'
import { asFault, Fault } from './faults.ts'
import { createSharedConnection, type SharedConnection } from './shared-connection.ts'

/**
 * A few connections that all batchable reads share. Those who ask the same while a connection is free to answer are
 * answered by one statement: a statement for each would wake a backend, plan, and describe its columns for each. When
 * nobody else asks, it is one statement for one. Nothing is carried from one statement to the next: each stands by
 * itself, outside a transaction, and begins after everyone whom it answers has asked.
 */
export type SharedConnections = {
  /** The row that answers, if any. */
  read<Row>(statement: BatchableRead, share: Key): Promise<Row[]>
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

/** Those who ask the same and wait; one who asks much leaves places to the others. */
type Group = Pick<BatchableRead, 'name' | 'text' | 'batchMax'> & {
  questions: Turns<Question>
  underWay: number
  /** How long an answer was lately, in characters: the longest of a statement, forgotten by and by. */
  longest: number
  requesters: Map<Key, Requester>
}

/** Who has asked and has not heard yet. Until the first answer nobody knows how long the others will be. */
type Requester = { open: number; isKnown: boolean; held: Question[] }

/** Enough to keep the processors of a database busy; more only wakes more processes. */
export const sharedConnectionCount = 3
/** Milliseconds that a question waits for its like while a connection is free. */
const gatheringTimeMax = 5
/** More of one who asks would wait longer than he should. */
const waitingMax = 1200
/**
 * Characters that one statement should answer at most. A page of records that are as long as they may be has six million:
 * sixteen of them by one statement would hold a connection for a second, and their memory at once.
 */
const answerMost = 2_000_000
/** Questions of one who asks that go ahead before the first answer to him. */
const aheadMost = 2
/** Of the longest answer, what the next statement remembers. */
const remembered = 0.9

/** `waitingTimeMax`: milliseconds that a read waits for its turn. `open` returns a connection that the deadline watches. */
export type SharedOptions = {
  open(): Promise<pg.Client>
  deadline: Deadline
  waitingTimeMax: number
  onError(error: Error): void
}

export function openSharedConnections({ open, deadline, waitingTimeMax, onError }: SharedOptions): SharedConnections {
  const connections = Array.from({ length: sharedConnectionCount }, () =>
    createSharedConnection(open, deadline, onError),
  )
  /** By name; as many as there are kinds of batchable reads. */
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
      const connection = connections.find(({ isBusy }) => !isBusy)
      if (!connection) return
      // Behind the others, where this loop meets it again.
      groups.delete(group.name)
      groups.set(group.name, group)
      void send(connection, group, takeQuestions(group))
    }
  }

  const send = async (connection: SharedConnection, group: Group, questions: Question[]): Promise<void> => {
    waitingCount -= questions.length
    connection.isBusy = true
    group.underWay++
    const requesters = questions.map(({ values }) => values)
    group.longest *= remembered
    try {
      await connection.ask(group, requesters, (requester, row) => {
        group.longest = Math.max(group.longest, row.json?.length ?? 0)
        questions[requester]?.resolve([row])
      })
      // No row is an answer too, as all forged tokens get it.
      for (const { share } of questions) requesterOf(group, share).isKnown = true
      // Those to whom no row came.
      for (const { resolve } of questions) resolve([])
    } catch (error) {
      for (const { reject } of questions) reject(asFault(error))
    } finally {
      connection.isBusy = false
      group.underWay--
      for (const { share } of questions) leave(group, share)
      sendAll()
    }
  }

  const enter = (group: Group, question: Question): void => {
    requesterOf(group, question.share).open++
    group.questions.push(question.share, question)
    plan()
  }
  /** One question less of the one who asks; those of his that were held go ahead, all of them once an answer has come. */
  const leave = (group: Group, share: Key): void => {
    const requester = requesterOf(group, share)
    requester.open--
    const next = requester.isKnown ? requester.held.splice(0) : requester.held.splice(0, aheadMost - requester.open)
    for (const question of next) enter(group, question)
    if (requester.open === 0) group.requesters.delete(share)
  }

  /** Those who have waited for a shared connection for too long hear so, as they would if they waited for a connection. */
  const refuseLate = (): void => {
    const late = performance.now() - waitingTimeMax
    for (const group of groups.values()) {
      const isLate = ({ since }: Question): boolean => since <= late
      const held = [...group.requesters.values()].flatMap((requester) => {
        const left = requester.held.filter(isLate)
        if (left.length > 0) requester.held = requester.held.filter((question) => !isLate(question))
        return left
      })
      const left = group.questions.remove(isLate)
      for (const { share } of left) leave(group, share)
      for (const { reject } of [...held, ...left]) reject(tooLong())
      waitingCount -= held.length + left.length
    }
  }
  const clock = setInterval(() => {
    refuseLate()
    sendAll()
  }, waitingTimeMax / 10).unref()

  return {
    read<Row>({ name, text, batchMax, values }: BatchableRead, share: Key) {
      const group: Group = groups.get(name) ?? {
        ...{ name, text, batchMax },
        ...{ questions: createTurns<Question>(), underWay: 0, longest: 0, requesters: new Map() },
      }
      const requester = requesterOf(group, share)
      if (closed || requester.open + requester.held.length >= waitingMax) return Promise.reject(tooMany())
      groups.set(name, group)
      waitingCount++
      return new Promise<Row[]>((resolve, reject) => {
        const since = performance.now()
        const question: Question = { share, values, since, resolve: resolve as Question['resolve'], reject }
        if (requester.isKnown || requester.open < aheadMost) enter(group, question)
        else requester.held.push(question)
      })
    },
    waiting: () => waitingCount,
    close: async () => {
      closed = true
      clearInterval(clock)
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}

/**
 * A group leaves when none of its name is under way, or when it is full: those who ask while others are answered gather,
 * the more the busier it is, and one who asks alone waits for nobody. Nor does anybody wait long for a connection that hangs.
 */
const isReady = (group: Group, now: number): boolean => {
  const { questions, underWay } = group
  if (questions.size === 0) return false
  const first = questions.first() as Question
  return underWay === 0 || questions.size >= fullAt(group) || now - first.since > gatheringTimeMax
}

/** As many as one statement answers, each who asks in turn. */
function takeQuestions(group: Group): Question[] {
  const count = Math.min(group.questions.size, fullAt(group))
  return Array.from({ length: count }, () => group.questions.shift() as Question)
}

function requesterOf({ requesters }: Group, share: Key): Requester {
  let requester = requesters.get(share)
  if (!requester) {
    requester = { open: 0, isKnown: false, held: [] }
    requesters.set(share, requester)
  }
  return requester
}

const fullAt = ({ batchMax, longest }: Group): number =>
  longest * batchMax <= answerMost ? batchMax : Math.max(1, Math.floor(answerMost / longest))

const tooMany = (): Fault => new Fault('unavailable', new Error('too many reads wait'))
const tooLong = (): Fault => new Fault('unavailable', new Error('a read waited too long for its turn'))
