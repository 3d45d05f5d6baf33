import { briefWaitMs } from '#sql/system/connection.ts'
import { createWatch } from '../fair/watch.ts'
import { Fault, isConnectionLost } from '../store/faults.ts'

/** A write that may share its transaction with others that wait at the same moment. */
export type GroupedWrite<Result> = {
  companyId: number
  /** What the members of a group have in common: caller, peer and route. */
  likeness: string
  /** Its Idempotency-Key. */
  key: string | undefined
  /** Records, unique values and trees that it writes: one of them is written by one call of this process at a time. */
  holds: readonly string[]
  /** Of its body. */
  bytes: number
  /** Writes it by itself. */
  alone(): Promise<Result>
}

export type Groups<Member, Result> = {
  /**
   * Writes it with others of its likeness, or by itself where it is not plainly done with them. Throws what its transaction
   * throws, and a `Fault` if its turn does not come in time.
   */
  run(member: Member): Promise<Result>
}

type GroupOptions<Member, Result> = {
  /** Writes all members in one transaction. Returns their results by place; undefined for one that has to go alone. */
  together(members: readonly Member[]): Promise<readonly (Result | undefined)[]>
  /** Milliseconds that a write waits for its turn. */
  waitMs: number
  /** Hears of each group that leaves, with its rows. */
  onGroup(rows: number): void
  /** Hears how many rows of a group go alone. */
  onRedone(rows: number): void
}

/** How many groups of a company are under way at once; what comes meanwhile fills the next. */
const underWayMax = 2
const rowsMax = 32
const bytesMax = 256 * 1024
/** A longer body goes by itself. */
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
  /** What calls that are under way write, and their keys. */
  held: Set<string>
  keys: Set<string>
  isPlanned: boolean
}

/** The groups of this process. Decisions, Groups. */
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
      ...{ waiting: [], underWay: 0, held: new Set<string>(), keys: new Set<string>(), isPlanned: false },
    }
    companies.set(id, company)
    return company
  }

  /** Lets groups leave after everything that came in this turn of the event loop. */
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
    // It may wait so long for a lock; after that it keeps nobody from leaving.
    const patience = setTimeout(end, briefWaitMs).unref()
    for (const { member } of group) hold(company, member)
    onGroup(group.length)
    const outcomes = group.length === 1 ? [undefined] : await writeTogether(group)
    // Whoever goes alone from a group takes no place of it.
    if (group.length > 1) end()
    const alone = outcomes.filter((outcome) => outcome === undefined).length
    if (group.length > 1 && alone > 0) onRedone(alone)
    await Promise.all(group.map((one, place) => settle(id, company, one, outcomes[place])))
    clearTimeout(patience)
    end()
  }

  type Outcome = { result: Result } | { error: unknown } | undefined

  /**
   * Returns undefined for a member that goes alone. Where PostgreSQL answers a statement of the group with an error, nothing
   * of it stays and all go alone. After a lost connection nothing is sent again.
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

  /** Ends waiting that took too long. */
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
      // Alone it hears at once that its key is in flight, or the answer.
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
 * Whether a failure is that of every member: the database is away, or it is not known whether it has committed. A lock or
 * a statement that took too long is not: PostgreSQL said so, and has undone the transaction.
 */
function isOver(error: unknown): boolean {
  if (!(error instanceof Fault)) return false
  if (error.code === 'outcome_unknown' || isConnectionLost(error)) return true
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return code !== '55P03' && code !== '57014'
}

/** Takes the first write that can leave, and what can leave with it. */
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
