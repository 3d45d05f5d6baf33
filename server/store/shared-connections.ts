import type pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import { createTurns, type Key } from '../fair/turns.ts'
import { waitFor } from '../wait/wait.ts'
import type { Deadline } from './deadline.ts'
import { asFault, Fault } from './faults.ts'
import { createSharedConnection, type SharedConnection } from './shared-connection.ts'

type Question = {
  share: Key
  values: readonly unknown[]
  since: number
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** Creates the waiting questions of one read, in fair turns: a requester with many leaves places to the others. */
const createGroup = ({ name, text, batchMax }: BatchableRead) => ({
  ...{ name, text, batchMax },
  questions: createTurns<Question>(),
  underWay: 0,
  /** Characters of the longest recent answer; it decays with each statement. */
  longest: 0,
  requesters: new Map<Key, Requester>(),
})
type Group = ReturnType<typeof createGroup>

/** A requester with unanswered questions. Before the first answer, the length of the others is unknown (`isKnown`). */
type Requester = { open: number; isKnown: boolean; held: Question[] }

/** Enough to keep the processors of a database busy; more only wakes more processes. */
export const sharedConnectionCount = 3
/** Milliseconds that a question waits for others of its read while a connection is free. */
const gatheringTimeMax = 5
/** Unanswered questions of one requester, at most: more would wait too long. */
const waitingMax = 1200
/**
 * Characters that one statement should answer at most. A page of records of maximum length has six million. Sixteen of
 * them in one statement would hold a connection for a second, and their memory at once.
 */
const answerMost = 2_000_000
/** Questions of a requester that are sent before its first answer. */
const aheadMost = 2
/** The factor by which `longest` decays with each statement. */
const remembered = 0.9

/** `waitingTimeMax`: milliseconds that a read waits for its turn. `open` returns a connection that the deadline watches. */
type SharedOptions = {
  open(): Promise<pg.Client>
  deadline: Deadline
  waitingTimeMax: number
  onError(error: Error): void
}

/**
 * Opens a few connections that all batchable reads share. One statement answers all waiting questions of one read once
 * a connection is free. A statement for each would wake a backend, plan, and describe its columns for each. A lone
 * question is a statement of its own.
 * Statements share no state: each runs outside a transaction, and begins after all its questions were asked.
 */
export function openSharedConnections({ open, deadline, waitingTimeMax, onError }: SharedOptions) {
  const connections = Array.from({ length: sharedConnectionCount }, () =>
    createSharedConnection(open, deadline, onError),
  )
  /** By name; as many as there are batchable reads. */
  const groups = new Map<string, Group>()
  let waitingCount = 0
  let planned = false
  let closed = false

  /** Sends after all questions of this turn of the event loop are queued. */
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
      // Moves the group behind the others, where this loop meets it again.
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
      // No row is an answer too: a forged token gets it.
      for (const { share } of questions) requesterOf(group, share).isKnown = true
      // Questions without a row.
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
  /**
   * Takes a question out of the counts, and enters questions of the same requester that were held back: all of them once
   * the requester has been answered, before that no more than keep `aheadMost` open.
   */
  const leave = (group: Group, share: Key): void => {
    const requester = requesterOf(group, share)
    requester.open--
    const next = requester.isKnown ? requester.held.splice(0) : requester.held.splice(0, aheadMost - requester.open)
    for (const question of next) enter(group, question)
    if (requester.open === 0) group.requesters.delete(share)
  }

  /** Rejects reads after the longest wait, with the fault of a wait for a connection. */
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
    /** Returns the row that answers, or none. */
    read<Row>(asked: BatchableRead, share: Key): Promise<Row[]> {
      const { name, values } = asked
      const group = groups.get(name) ?? createGroup(asked)
      const requester = requesterOf(group, share)
      if (closed || requester.open + requester.held.length >= waitingMax) return Promise.reject(tooMany())
      groups.set(name, group)
      waitingCount++
      return waitFor<Row[]>('its queue', (resolve, reject) => {
        const since = performance.now()
        const question: Question = { share, values, since, resolve: resolve as Question['resolve'], reject }
        if (requester.isKnown || requester.open < aheadMost) enter(group, question)
        else requester.held.push(question)
      })
    },
    waiting: (): number => waitingCount,
    close: async (): Promise<void> => {
      closed = true
      clearInterval(clock)
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}

/**
 * Returns whether a group is sent: if no statement of its name runs, it is full, or its first question waited long
 * enough. While others are answered, questions gather, more on a busy service; a lone one waits for none. A hanging
 * connection delays a question by `gatheringTimeMax` only.
 */
const isReady = (group: Group, now: number): boolean => {
  const { questions, underWay } = group
  if (questions.size === 0) return false
  const first = questions.first() as Question
  return underWay === 0 || questions.size >= fullAt(group) || now - first.since > gatheringTimeMax
}

/** Takes as many questions as one statement answers, each requester in turn. */
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
