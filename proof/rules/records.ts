import {
  type CompanyHistory,
  type Event,
  type Fields,
  hasSucceeded,
  isEnd,
  listSuccesses,
  pushTo,
  versionOf,
} from '../history.ts'
import type { Rule } from './rule.ts'

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export const versionsInOrder: Rule = {
  name: 'versions without gap or fork',
  promise:
    'The versions of a record are told from 1 on without a gap, each begins with what the one before left, and an answer names no version that is not told.',
  *find({ companies }) {
    for (const company of companies) {
      const events = company.byRecord
      for (const [record, list] of events) {
        const values = new Map<string, unknown>()
        for (const [place, { version, changes }] of list.entries()) {
          if (version !== place + 1)
            yield `${company.name}, ${record}: version ${version} is told as number ${place + 1}`
          for (const [field, [before, after]] of Object.entries(changes ?? {})) {
            if (values.has(field) && !isSame(values.get(field), before))
              yield `${company.name}, ${record}, version ${version}: ${field} was ${JSON.stringify(values.get(field))}, and it changed ${JSON.stringify(before)}`
            values.set(field, after)
          }
        }
      }
      for (const { record, version, status, method, path } of company.calls) {
        const known = record === null ? undefined : events.get(record)
        if (record === null || version === null || status === null) continue
        if (version > (known?.length ?? 0))
          yield `${company.name}: ${method} ${path} answered version ${version} of ${record}, and ${known?.length ?? 0} are told`
      }
    }
  },
}

export const listsFeedHistory: Rule = {
  name: 'lists = feed = history',
  promise: 'In the end the lists, the feed and the history of each record say the same of it.',
  *find({ companies }) {
    for (const { name, byRecord, newest, listed, histories } of companies) {
      for (const [record, list] of byRecord) {
        const last = list.at(-1) as Event
        const held = listed.get(record)
        const told = newest.get(record)
        if (!isEnd(last) && !held) yield `${name}, ${record}: the feed tells it, and no list has it`
        if (held && isEnd(last)) yield `${name}, ${record}: a list has it, and the feed tells its end`
        if (held && told !== undefined && JSON.stringify(held) !== told)
          yield `${name}, ${record}: the list says ${JSON.stringify(held)}, the feed ${told}`
        const history = histories.get(record)
        if (
          history &&
          !isSame(
            history.toReversed(),
            list.map(({ id }) => id),
          )
        )
          yield `${name}, ${record}: its history has ${history.length} changes, the feed ${list.length}, or others`
      }
      for (const record of listed.keys())
        if (!byRecord.has(record)) yield `${name}, ${record}: a list has it, and the feed does not tell it`
    }
  },
}

export const tombstones: Rule = {
  name: 'tombstones',
  promise: 'A record begins once, and after its end nothing happens to it but that it is restored.',
  *find({ companies }) {
    for (const company of companies)
      for (const [record, list] of company.byRecord) {
        for (const [place, event] of list.entries()) {
          const before = list[place - 1]
          const mayFollow = !before
            ? event.action === 'created'
            : isEnd(before)
              ? event.action === 'restored' || (before.action === 'deleted' && event.action === 'erased')
              : event.action === 'updated' || isEnd(event)
          if (!mayFollow) yield `${company.name}, ${record}: ${event.action} follows ${before?.action ?? 'nothing'}`
        }
      }
  },
}

export const noOlderAnswer: Rule = {
  name: 'no older answer',
  promise: 'No answer about a record is older than one that had ended before it began.',
  *find({ companies }) {
    for (const company of companies) {
      const events = company.byRecord
      for (const [record, sights] of sightsByRecord(company)) {
        const byEnd = sights.filter(({ floor }) => floor > 0).toSorted((one, other) => one.end - other.end)
        let floor = 0
        let ended = 0
        for (const sight of sights.toSorted((one, other) => one.start - other.start)) {
          for (let next = byEnd[ended]; next && next.end < sight.start; next = byEnd[++ended])
            floor = Math.max(floor, next.floor)
          const version = sight.version ?? lastGone(events.get(record) ?? [], floor)
          if (version < floor || (sight.isNew && version === floor))
            yield `${company.name}, ${record}: ${sight.said} answered ${sight.version === null ? 'that it is gone' : `version ${sight.version}`}, and version ${floor} was known before`
        }
      }
    }
  },
}

/** An answer that tells the version of a record, or that there is none (null). */
type Sight = {
  start: number
  end: number
  version: number | null
  /** The version that is known after it. */
  floor: number
  /** Whether it made that version itself. */
  isNew: boolean
  said: string
}

function sightsByRecord(company: CompanyHistory): Map<string, Sight[]> {
  const found = new Map<string, Sight[]>()
  const starts = new Map<string, number>()
  for (const { key, start } of company.calls)
    if (key !== null) starts.set(key, Math.min(starts.get(key) ?? start, start))
  for (const call of company.calls) {
    const { start, end, status, record, version, method, path, replayed, dryRun, write } = call
    if (end === null || status === null || dryRun) continue
    const said = `${method} ${path}`
    if (method === 'GET') {
      if (record === null) continue
      if (status === 404) pushTo(found, record, { start, end, version: null, floor: 0, isNew: false, said })
      else if ((status === 200 || status === 304) && version !== null)
        pushTo(found, record, { start, end, version, floor: version, isNew: false, said })
    } else if (hasSucceeded(call) && write !== undefined) {
      // What a retry answers may have been done by an earlier call with the key.
      const began = (call.key === null ? undefined : starts.get(call.key)) ?? start
      for (const { record: of, version: made } of company.byWrite.get(write) ?? [])
        pushTo(found, of, { start: began, end, version: made, floor: made, isNew: !replayed, said })
    }
  }
  return found
}

/** The newest version from `floor` on after which the record was gone; below it if there is none. */
function lastGone(events: readonly Event[], floor: number): number {
  const gone = events.findLast((event, place) => {
    const next = events[place + 1]
    return isEnd(event) && (!next || next.version > floor)
  })
  if (!gone) return floor === 0 ? 0 : floor - 1
  return Math.max(gone.version, floor)
}

export const ifMatchOnce: Rule = {
  name: 'If-Match',
  promise:
    'A write with If-Match that succeeded made the version after the one that it named, so two never succeed on one.',
  *find(history) {
    for (const { company, call, made } of listSuccesses(history)) {
      const named = versionOf(call.ifMatch)
      if (named === null || call.record === null || call.dryRun) continue
      const event = made.find(({ record }) => record === call.record)
      if (event && event.version !== named + 1)
        yield `${company.name}, ${call.record}: ${call.method} with If-Match of version ${named} made version ${event.version}`
    }
  },
}

export const ifPlanOnce: Rule = {
  name: 'If-Plan',
  promise:
    'A write with If-Plan that succeeded changed what its plan says from what its plan says, so two never succeed on one state.',
  *find({ companies }) {
    for (const company of companies) {
      const events = company.byWrite
      const plans = new Map<string, readonly PlannedChange[]>()
      for (const { answer } of company.calls)
        if (answer?.plan?.hash) plans.set(`"${answer.plan.hash}"`, answer.plan.changes)
      for (const call of company.calls) {
        const plan = call.ifPlan === undefined ? undefined : plans.get(call.ifPlan)
        if (!plan || call.dryRun || !hasSucceeded(call) || call.write === undefined) continue
        const made = events.get(call.write) ?? []
        for (const { records, id, action, fields } of plan) {
          if (id === null) continue
          const event = made.find(({ record }) => record === `${records}/${id}`)
          if (
            !event ||
            event.action !== action ||
            (action === 'updated' && !isSame(sortFields(event.changes), sortFields(fields)))
          )
            yield `${company.name}, ${records}/${id}: planned ${action} ${JSON.stringify(fields)}, done ${event ? `${event.action} ${JSON.stringify(event.changes)}` : 'nothing'}`
        }
      }
    }
  },
}

type PlannedChange = { records: string; id: number | null; action: string; fields: Fields }

const sortFields = (fields: Fields | null) =>
  Object.entries(fields ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1))

export const undoLeavesBefore: Rule = {
  name: 'undo leaves what was before',
  promise:
    'An undo changes each field from what the write left to what was before the write, ends what it began and brings back what it ended.',
  *find(history) {
    for (const { company, call, made } of listSuccesses(history)) {
      const undone = /^\/v1\/writes\/([\w-]+)\/undo$/.exec(call.path)?.[1]
      if (undone === undefined || call.dryRun || call.answer?.data?.remaining !== 0) continue
      const back = netOf(made)
      for (const [record, net] of netOf(company.byWrite.get(undone) ?? [])) {
        const sentence = whyNotUndone(net, back.get(record))
        if (sentence !== null) yield `${company.name}, ${record}: the undo of ${undone} ${sentence}`
      }
    }
  },
}

type WriteNet = { isBegun: boolean; isEnded: boolean; fields: Map<string, [unknown, unknown]> }

/** What a write did to each record from its first to its last change. */
function netOf(events: readonly Event[]): Map<string, WriteNet> {
  const found = new Map<string, WriteNet>()
  for (const event of events) {
    const net = found.get(event.record) ?? { isBegun: isBeginning(event), isEnded: false, fields: new Map() }
    found.set(event.record, net)
    net.isEnded = isEnd(event)
    for (const [field, [before, after]] of Object.entries(event.changes ?? {}))
      net.fields.set(field, [net.fields.has(field) ? net.fields.get(field)?.[0] : before, after])
  }
  return found
}

const isBeginning = ({ action }: Event): boolean => action === 'created' || action === 'restored'

function whyNotUndone(net: WriteNet, back: WriteNet | undefined): string | null {
  if (net.isBegun && net.isEnded) return null
  if (net.isBegun) return back?.isEnded ? null : 'left what it began'
  if (net.isEnded) return back?.isBegun ? null : 'did not bring it back'
  for (const [field, [before, after]] of net.fields) {
    if (isSame(before, after)) continue
    const [from, to] = back?.fields.get(field) ?? ['nothing', 'nothing']
    if (!isSame(from, after) || !isSame(to, before))
      return `set ${field} from ${JSON.stringify(from)} to ${JSON.stringify(to)}; the write had set ${JSON.stringify(before)} to ${JSON.stringify(after)}`
  }
  return null
}

export const noDanglingReference: Rule = {
  name: 'references',
  promise: 'No record that is there refers to one that is gone.',
  *find({ companies, references }) {
    for (const { name, listed } of companies)
      for (const { records, field, to } of references)
        for (const [record, fields] of listed) {
          const id = fields[field]
          if (record.startsWith(`${records}/`) && typeof id === 'number' && !listed.has(`${to}/${id}`))
            yield `${name}, ${record}: ${field} is ${id}, and ${to}/${id} is gone`
        }
  },
}

export const planLimitHolds: Rule = {
  name: 'plan limit',
  promise: 'There are never more records than the plan allows.',
  *find({ companies }) {
    for (const company of companies)
      for (const [records, most] of company.limits) {
        const live = [...company.listed.keys()].filter((record) => record.startsWith(`${records}/`)).length
        if (live > most) yield `${company.name}: ${live} ${records} in the end, of ${most}`
        const highest = fewestAtOnce(company, records)
        if (highest > most) yield `${company.name}: at least ${highest} ${records} at one moment, of ${most}`
      }
  },
}

/**
 * The highest number of records that were certainly there at one moment: answered as there, and no call begun that ended
 * them.
 */
function fewestAtOnce(company: CompanyHistory, records: string): number {
  const events = company.byWrite
  const earliest = earliestEnds(company)
  const moments: { at: number; step: number }[] = []
  for (const call of company.calls) {
    if (call.end === null || call.replayed || !hasSucceeded(call) || call.write === undefined) continue
    for (const { record, action } of events.get(call.write) ?? []) {
      const end = earliest.get(record) ?? Number.POSITIVE_INFINITY
      if (action !== 'created' || !record.startsWith(`${records}/`) || end <= call.end) continue
      moments.push({ at: call.end, step: 1 })
      if (end < Number.POSITIVE_INFINITY) moments.push({ at: end, step: -1 })
    }
  }
  let now = 0
  let highest = 0
  for (const { step } of moments.toSorted((one, other) => one.at - other.at || one.step - other.step)) {
    now += step
    highest = Math.max(highest, now)
  }
  return highest
}

/** The earliest moment at which the end of each record may have happened: the start of a call that is known to have made it. */
function earliestEnds({ calls, feed }: CompanyHistory): Map<string, number> {
  const starts = new Map<string, number>()
  for (const { write, key, start } of calls)
    for (const name of [write, key])
      if (name !== undefined && name !== null) starts.set(name, Math.min(starts.get(name) ?? start, start))
  const found = new Map<string, number>()
  for (const event of feed) {
    if (!isEnd(event)) continue
    const of = [event.write, event.key].flatMap((name) => starts.get(name ?? '') ?? [])
    const at = of.length > 0 ? Math.min(...of) : Number.NEGATIVE_INFINITY
    found.set(event.record, Math.min(found.get(event.record) ?? at, at))
  }
  return found
}
