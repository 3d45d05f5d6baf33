import { briefWaitMs } from '#sql/system/connection.ts'
import type { Share } from '../fair/shares.ts'
import { createTurns, type Key } from '../fair/turns.ts'
import { createWatch } from '../fair/watch.ts'
import { Fault, isConnectionLost } from '../store/faults.ts'
import { waitFor } from '../wait/wait.ts'

/** A write that may share its transaction with others that wait at the same moment. */
export type GroupedWrite<Result> = {
  companyId: number
  /** The share whose turns it takes. A call whose token is not confirmed is in another share than those of its company. */
  share: Pick<Share, 'key'>
  /** The caller, peer and route, which are the same for all members of a group. */
  likeness: string
  /** Its Idempotency-Key. */
  key: string | undefined
  /** Records, unique values and trees that it writes. One call of this process at a time writes each of them. */
  holds: readonly string[]
  /** Length of its body. */
  bytes: number
  /** Writes it by itself. */
  alone(): Promise<Result>
}

export type Groups<Member, Result> = {
  /**
   * Writes a member with others of its likeness, and by itself if the group has no result for it. Throws the error of
   * its transaction, and a `Fault` if its turn does not come in time.
   */
  run(member: Member): Promise<Result>
}

type GroupOptions<Member, Result> = {
  /**
   * Writes all members in one transaction. Returns their results by place; undefined for one that must be written
   * alone.
   */
  together(members: readonly Member[]): Promise<readonly (Result | undefined)[]>
  /** Milliseconds that a write waits for its turn. */
  waitMs: number
  /** Groups of the process that run at once. */
  places: number
  /** Milliseconds that a group counts as running at most. */
  placeMs?: number
  /** Called for each group that starts, with its number of rows. */
  onGroup(rows: number): void
  /** Called with the number of rows of a group that are written alone. */
  onRedone(rows: number): void
}

/** Groups of a queue that run at once; writes that come meanwhile fill the next. */
const underWayMax = 2
const rowsMax = 32
const bytesMax = 256 * 1024
/** Groups that run at once for each processor. More would have fewer rows each, and end no sooner. */
export const placesOfProcessor = 2
/** Milliseconds after which a group gives its place to others, whatever it waits for. */
const placeMsMax = 10
/** Writes with a longer body are written alone. */
export const groupedBodyMax = 64 * 1024

type WaitingWrite<Member, Result> = {
  member: Member
  until: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/** The writes of one company and share that wait or run. */
type Queue<One> = {
  name: Key
  waiting: One[]
  underWay: number
  /** Records, values and trees that running calls write, and their keys. */
  held: Set<string>
  keys: Set<string>
  /** Whether it waits for its turn. */
  isReady: boolean
}

/** Creates the groups of this process. Decisions, Groups. */
export function createGroups<Member extends GroupedWrite<Result>, Result>({
  together,
  waitMs,
  places,
  placeMs = placeMsMax,
  onGroup,
  onRedone,
}: GroupOptions<Member, Result>): Groups<Member, Result> {
  type WaitingMember = WaitingWrite<Member, Result>
  const queues = new Map<Key, Queue<WaitingMember>>()
  /** Queues with writes that may be able to start. */
  const ready = createTurns<Queue<WaitingMember>>()
  let isPlanned = false
  let placesTaken = 0

  const queueOf = ({ companyId, share }: Member): Queue<WaitingMember> => {
    const name = share.key === companyId ? companyId : `${share.key} ${companyId}`
    const queue = queues.get(name)
    if (queue) return queue
    const made = { name, waiting: [], underWay: 0, held: new Set<string>(), keys: new Set<string>(), isReady: false }
    queues.set(name, made)
    return made
  }

  /** Puts a queue with waiting writes in line for its turn. */
  const wake = (queue: Queue<WaitingMember>): void => {
    const [first] = queue.waiting
    if (first && !queue.isReady) {
      queue.isReady = true
      ready.push(first.member.share.key, queue)
    }
    forgetIdle(queue)
    plan()
  }

  const forgetIdle = ({ name, isReady, waiting, underWay, held, keys }: Queue<WaitingMember>): void => {
    if (!isReady && waiting.length + underWay + held.size + keys.size === 0) queues.delete(name)
  }

  /** Starts groups after all calls of this turn of the event loop are queued. */
  const plan = (): void => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(start)
  }

  /** Starts one group of each ready queue in turn, while there are places. */
  const start = (): void => {
    isPlanned = false
    while (placesTaken < places) {
      const queue = ready.shift()
      if (!queue) return
      queue.isReady = false
      const group = queue.underWay < underWayMax ? takeGroup(queue) : []
      if (group.length > 0) {
        void leave(queue, group)
        wake(queue)
      } else forgetIdle(queue)
    }
  }

  const leave = async (queue: Queue<WaitingMember>, group: readonly WaitingMember[]): Promise<void> => {
    const leavePlace = once(() => {
      placesTaken--
      plan()
    })
    const end = once(() => {
      queue.underWay--
      wake(queue)
    })
    placesTaken++
    queue.underWay++
    const placeTimer = setTimeout(leavePlace, placeMs).unref()
    // A group may wait this long for a lock. After that it no longer keeps others from starting.
    const patience = setTimeout(end, briefWaitMs).unref()
    for (const { member } of group) hold(queue, member)
    onGroup(group.length)
    const outcomes = group.length === 1 ? [undefined] : await writeTogether(group)
    // A member that is written alone does not count as a running group.
    if (group.length > 1) end()
    const alone = outcomes.filter((outcome) => outcome === undefined).length
    if (group.length > 1 && alone > 0) onRedone(alone)
    await Promise.all(group.map((one, place) => settle(queue, one, outcomes[place])))
    clearTimeout(patience)
    clearTimeout(placeTimer)
    leavePlace()
    end()
  }

  type Outcome = { result: Result } | { error: unknown } | undefined

  /**
   * Returns undefined for a member to be written alone. If PostgreSQL reports an error, the group is rolled back and
   * all its members are written alone. After a lost connection nothing is sent again.
   */
  const writeTogether = async (group: readonly WaitingMember[]): Promise<Outcome[]> => {
    try {
      const results = await together(group.map(({ member }) => member))
      return results.map((result) => (result === undefined ? undefined : { result }))
    } catch (error) {
      return group.map(() => (isOver(error) ? { error } : undefined))
    }
  }

  const settle = async (queue: Queue<WaitingMember>, one: WaitingMember, outcome: Outcome): Promise<void> => {
    const { member, resolve, reject } = one
    try {
      if (outcome && 'error' in outcome) reject(outcome.error)
      else resolve(outcome ? outcome.result : await member.alone())
    } catch (error) {
      reject(error)
    } finally {
      release(queue, member)
      wake(queue)
    }
  }

  const watch = createWatch(waitMs / 10, () => {
    const now = performance.now()
    let waiting = 0
    for (const queue of queues.values()) {
      const late = queue.waiting.filter(({ until }) => until <= now)
      if (late.length > 0) queue.waiting = queue.waiting.filter((one) => !late.includes(one))
      for (const { reject } of late) reject(new Fault('unavailable', new Error('a write waited too long for its turn')))
      waiting += queue.waiting.length
    }
    return waiting > 0
  })

  return {
    run(member) {
      const { key } = member
      const queue = queueOf(member)
      // By itself it gets at once the refusal that its key is in flight, or the stored answer.
      if (key !== undefined && queue.keys.has(key)) return member.alone()
      return waitFor('its queue', (resolve, reject) => {
        queue.waiting.push({ member, until: performance.now() + waitMs, resolve, reject })
        wake(queue)
        watch()
      })
    },
  }
}

/**
 * Returns whether a failure is that of every member: the database is unavailable, or the outcome of the commit is
 * unknown. A time-out of a lock or a statement is not: PostgreSQL has rolled the transaction back.
 */
function isOver(error: unknown): boolean {
  if (!(error instanceof Fault)) return false
  if (error.code === 'outcome_unknown' || isConnectionLost(error)) return true
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return code !== '55P03' && code !== '57014'
}

/** Takes the first write that can start, and those that can join it. */
function takeGroup<One extends { member: GroupedWrite<unknown> }>(queue: Queue<One>): One[] {
  const group: One[] = []
  const own = { held: new Set<string>(), keys: new Set<string>() }
  let bytes = 0
  const rest: One[] = []
  for (const one of queue.waiting) {
    const { likeness, bytes: more, holds, key } = one.member
    const fits =
      group.length < rowsMax &&
      (group.length === 0 || (likeness === group[0]?.member.likeness && bytes + more <= bytesMax)) &&
      !holds.some((each) => own.held.has(each) || queue.held.has(each)) &&
      (key === undefined || !own.keys.has(key))
    if (!fits) {
      rest.push(one)
      continue
    }
    group.push(one)
    bytes += more
    hold(own, one.member)
  }
  queue.waiting = rest
  return group
}

type HeldValues = Pick<Queue<never>, 'held' | 'keys'>

function hold({ held, keys }: HeldValues, { holds, key }: GroupedWrite<unknown>): void {
  for (const one of holds) held.add(one)
  if (key !== undefined) keys.add(key)
}

function release({ held, keys }: HeldValues, { holds, key }: GroupedWrite<unknown>): void {
  for (const one of holds) held.delete(one)
  if (key !== undefined) keys.delete(key)
}

/** Returns a function that calls `work` the first time. */
function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
