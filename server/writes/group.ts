import { briefWaitMs } from '#sql/system/connection.ts'
import { createWatch } from '../fair/watch.ts'
import { Fault, isConnectionLost } from '../store/faults.ts'

/** A write that may share its transaction with others that wait at the same moment. */
export type GroupedWrite<Result> = {
  companyId: number
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
  /** Called for each group that starts, with its number of rows. */
  onGroup(rows: number): void
  /** Called with the number of rows of a group that are written alone. */
  onRedone(rows: number): void
}

/** Groups of a company that run at once; writes that come meanwhile fill the next. */
const underWayMax = 2
const rowsMax = 32
const bytesMax = 256 * 1024
/** Writes with a longer body are written alone. */
export const groupedBodyMax = 64 * 1024

type WaitingWrite<Member, Result> = {
  member: Member
  until: number
  resolve(result: Result): void
  reject(error: unknown): void
}

type Company<One> = {
  waiting: One[]
  underWay: number
  /** Records, values and trees that running calls write, and their keys. */
  held: Set<string>
  keys: Set<string>
  isPlanned: boolean
}

/** Creates the groups of this process. Decisions, Groups. */
export function createGroups<Member extends GroupedWrite<Result>, Result>({
  together,
  waitMs,
  onGroup,
  onRedone,
}: GroupOptions<Member, Result>): Groups<Member, Result> {
  type WaitingMember = WaitingWrite<Member, Result>
  const companies = new Map<number, Company<WaitingMember>>()

  const companyOf = (id: number): Company<WaitingMember> => {
    const company = companies.get(id) ?? {
      waiting: [],
      underWay: 0,
      held: new Set<string>(),
      keys: new Set<string>(),
      isPlanned: false,
    }
    companies.set(id, company)
    return company
  }

  /** Starts groups after all calls of this turn of the event loop are queued. */
  const plan = (id: number, company: Company<WaitingMember>): void => {
    if (company.isPlanned) return
    company.isPlanned = true
    setImmediate(() => {
      company.isPlanned = false
      while (company.underWay < underWayMax) {
        const group = takeGroup(company)
        if (group.length === 0) break
        void leave(id, company, group)
      }
      if (company.waiting.length + company.underWay + company.held.size + company.keys.size === 0) companies.delete(id)
    })
  }

  const leave = async (id: number, company: Company<WaitingMember>, group: readonly WaitingMember[]): Promise<void> => {
    company.underWay++
    let isUnderWay = true
    const end = () => {
      if (isUnderWay) company.underWay--
      isUnderWay = false
      plan(id, company)
    }
    // A group may wait this long for a lock. After that it no longer keeps others from starting.
    const patience = setTimeout(end, briefWaitMs).unref()
    for (const { member } of group) hold(company, member)
    onGroup(group.length)
    const outcomes = group.length === 1 ? [undefined] : await writeTogether(group)
    // A member that is written alone does not count as a running group.
    if (group.length > 1) end()
    const alone = outcomes.filter((outcome) => outcome === undefined).length
    if (group.length > 1 && alone > 0) onRedone(alone)
    await Promise.all(group.map((one, place) => settle(id, company, one, outcomes[place])))
    clearTimeout(patience)
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

  const settle = async (
    id: number,
    company: Company<WaitingMember>,
    one: WaitingMember,
    outcome: Outcome,
  ): Promise<void> => {
    const { member, resolve, reject } = one
    try {
      if (outcome && 'error' in outcome) reject(outcome.error)
      else resolve(outcome ? outcome.result : await member.alone())
    } catch (error) {
      reject(error)
    } finally {
      release(company, member)
      plan(id, company)
    }
  }

  const watch = createWatch(waitMs / 10, () => {
    const now = performance.now()
    let waiting = 0
    for (const company of companies.values()) {
      const late = company.waiting.filter(({ until }) => until <= now)
      if (late.length > 0) company.waiting = company.waiting.filter((one) => !late.includes(one))
      for (const { reject } of late) reject(new Fault('unavailable', new Error('a write waited too long for its turn')))
      waiting += company.waiting.length
    }
    return waiting > 0
  })

  return {
    run(member) {
      const { companyId, key } = member
      const company = companyOf(companyId)
      // By itself it gets at once the refusal that its key is in flight, or the stored answer.
      if (key !== undefined && company.keys.has(key)) return member.alone()
      return new Promise((resolve, reject) => {
        company.waiting.push({ member, until: performance.now() + waitMs, resolve, reject })
        plan(companyId, company)
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
function takeGroup<One extends { member: GroupedWrite<unknown> }>(company: Company<One>): One[] {
  const group: One[] = []
  const own = { held: new Set<string>(), keys: new Set<string>() }
  let bytes = 0
  const rest: One[] = []
  for (const one of company.waiting) {
    const { likeness, bytes: more, holds, key } = one.member
    const fits =
      group.length < rowsMax &&
      (group.length === 0 || (likeness === group[0]?.member.likeness && bytes + more <= bytesMax)) &&
      !holds.some((each) => own.held.has(each) || company.held.has(each)) &&
      (key === undefined || !own.keys.has(key))
    if (!fits) {
      rest.push(one)
      continue
    }
    group.push(one)
    bytes += more
    hold(own, one.member)
  }
  company.waiting = rest
  return group
}

type HeldValues = Pick<Company<never>, 'held' | 'keys'>

function hold({ held, keys }: HeldValues, { holds, key }: GroupedWrite<unknown>): void {
  for (const one of holds) held.add(one)
  if (key !== undefined) keys.add(key)
}

function release({ held, keys }: HeldValues, { holds, key }: GroupedWrite<unknown>): void {
  for (const one of holds) held.delete(one)
  if (key !== undefined) keys.delete(key)
}
