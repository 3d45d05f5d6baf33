import {
  type Call,
  type CompanyHistory,
  type Event,
  hasSucceeded,
  isWithin,
  type Loss,
  listSuccesses,
  pushTo,
} from '../history.ts'
import type { Rule } from './rule.ts'

/** The calls of each key. A preview uses none. */
function callsByKey({ calls }: CompanyHistory): Map<string, Call[]> {
  const found = new Map<string, Call[]>()
  for (const call of calls) if (call.key !== null && !call.dryRun) pushTo(found, call.key, call)
  return found
}

/** Refusals that say nothing about the work of the key: it is in flight, its body is another, or nobody looked at it. */
const isUndecided = ({ status, answer }: Call): boolean =>
  status === null ||
  status >= 500 ||
  status === 401 ||
  status === 429 ||
  answer?.code === 'idempotency_in_progress' ||
  answer?.code === 'idempotency_key_reuse'

/** What the answer says that the call has done; null where it changed nothing. */
function effectOf({ answer }: Pick<Call, 'answer'>): string | null {
  const data = answer?.data
  if (!data || data.dry_run) return null
  if (data.created) return 'created'
  if (data.deleted) return 'deleted'
  if (data.updated) return data.changed?.length > 0 ? 'updated' : null
  if (data.undone) return data.records > 0 ? 'undone' : null
  if (data.operations?.some((one: Pick<Call, 'answer'>['answer']) => effectOf({ answer: one }) !== null)) return 'batch'
  return null
}

export const oneEffectPerKey: Rule = {
  name: 'one effect a key',
  promise:
    'What was sent under one Idempotency-Key was done once if any call heard so, once or not at all if none was answered, and never if it was refused.',
  *find({ companies }) {
    for (const company of companies) {
      const toldOf = new Map<string, Event[]>()
      for (const event of company.feed) if (event.key !== null) pushTo(toldOf, event.key, event)
      for (const [key, calls] of callsByKey(company)) {
        const told = toldOf.get(key) ?? []
        const writes = new Set(told.map(({ write }) => write)).size
        const done = calls.filter(hasSucceeded)
        if (writes > 1) yield `${company.name}, key ${key}: ${writes} writes`
        if (writes > 0 && done.length === 0 && calls.some((call) => !isUndecided(call)))
          yield `${company.name}, key ${key}: refused, and done all the same`
        const series = done.findLast(({ answer }) => answer?.data?.mode === 'each')?.answer.data.operations
        const isSeries = series !== undefined
        const effects = series?.filter(
          (one: Pick<Call, 'answer'>['answer']) => effectOf({ answer: one }) !== null,
        ).length
        if (isSeries && told.length !== effects)
          yield `${company.name}, key ${key}: ${told.length} changes by ${effects} operations of a batch`
        if (!isSeries && done.filter(({ replayed }) => !replayed).length > 1)
          yield `${company.name}, key ${key}: run more than once`
        if (new Set(done.map(({ hash }) => hash)).size > 1)
          yield `${company.name}, key ${key}: accepted with two bodies`
      }
    }
  },
}

export const oneEffectPerCall: Rule = {
  name: 'one effect a call',
  promise: 'A create of one record that was answered, with a key or without, made one record.',
  *find(history) {
    for (const { company, call, made } of listSuccesses(history)) {
      if (call.method !== 'POST' || call.record === null) continue
      const created = made.filter(({ action }) => action === 'created')
      if (created.length > 1) yield `${company.name}: ${call.path} as ${call.write} made ${created.length} records`
    }
  },
}

export const nothingLost: Rule = {
  name: 'nothing lost',
  promise:
    'Every write whose success was answered is told by the feed under its id, and a preview or a refusal is not. Where the last may be lost, nothing is there that began after the answer to what is lost.',
  *find(history) {
    for (const company of history.companies)
      for (const loss of history.losses) {
        const { lost, there } = judgeLosable(company, loss)
        const [first] = lost.toSorted((one, other) => Number(one.end) - Number(other.end))
        // Whatever was answered later may be of the one that took over.
        for (const call of there) {
          const { method, path, write, end } = call
          if (first && Number(end) < loss.to && findFirstStart(company, call) > Number(first.end))
            yield `${company.name}: ${method} ${path} as ${write} is there, and ${first.method} ${first.path} as ${first.write}, answered before it began, is lost`
        }
      }
    for (const { company, call, made } of listSuccesses(history)) {
      const isTold = made.length > 0
      if (call.dryRun && isTold) yield `${company.name}: the preview ${call.method} ${call.path} wrote ${call.write}`
      if (call.dryRun || isTold) continue
      const effect = effectOf(call)
      if (effect !== null && call.write !== undefined)
        yield `${company.name}: ${call.method} ${call.path} answered ${effect} as ${call.write}, of which the feed tells nothing`
    }
  },
}

/** Returns when the key of a call was first sent, or the call if it has none: an earlier call may have done a part of a series. */
function findFirstStart({ calls }: CompanyHistory, { key, start }: Call): number {
  if (key === null) return start
  return Math.min(start, ...calls.flatMap((one) => (one.key === key ? one.start : [])))
}

/** Returns the writes of a time of which the last may be lost, by whether they are there. */
export function judgeLosable({ byWrite, losable }: CompanyHistory, loss: Loss): { lost: Call[]; there: Call[] } {
  const written = losable.filter(
    (call) => isWithin(call, loss) && hasSucceeded(call) && !call.replayed && !call.dryRun && effectOf(call) !== null,
  )
  const isThere = ({ write }: Call): boolean => byWrite.has(write ?? '')
  return { lost: written.filter((call) => !isThere(call)), there: written.filter(isThere) }
}

export const nothingUnasked: Rule = {
  name: 'nothing unasked',
  promise:
    'Every change that the feed tells was asked for: under its key, or by a call that names its write or was not answered; a preview asks for none.',
  *find({ companies }) {
    for (const { name, calls, feed } of companies) {
      const writes = new Set<string>()
      const keys = new Set<string>()
      let unanswered = 0
      for (const { method, key, write, status, dryRun } of calls) {
        if (method === 'GET' || dryRun) continue
        if (key !== null) keys.add(key)
        if (write !== undefined) writes.add(write)
        else if (key === null && (status === null || status >= 500)) unanswered++
      }
      const unnamed = new Map<string | null, Event>()
      for (const event of feed) {
        const { record, version, key, write } = event
        if (key !== null && !keys.has(key))
          yield `${name}, ${record}: version ${version} has the key ${key}, which nobody sent`
        else if (key === null && !writes.has(write ?? '')) unnamed.set(write, event)
      }
      if (unnamed.size <= unanswered) continue
      for (const [write, { record, version }] of unnamed)
        yield `${name}, ${record}: version ${version} of the write ${write}, one of ${unnamed.size} that no answer names; ${unanswered} calls were not answered`
    }
  },
}

export const replayIsFirstAnswer: Rule = {
  name: 'a replay is the first answer',
  promise: 'All successes under one key have the same status, the same body, the same entity tag and the same write.',
  *find({ companies }) {
    for (const company of companies)
      for (const [key, calls] of callsByKey(company)) {
        const done = calls.filter(hasSucceeded)
        const [first] = done
        if (!first) continue
        for (const again of done)
          if (!isSameAnswer(first, again))
            yield `${company.name}, key ${key}: ${formatResponse(first)}, then ${formatResponse(again)}`
      }
  },
}

/** A series may have gone on between two answers: then those operations count that both have an answer for. */
function isSameAnswer(one: Call, other: Call): boolean {
  if (one.answer?.data?.mode === 'each') return true
  return (
    one.status === other.status && one.text === other.text && one.version === other.version && one.write === other.write
  )
}

const formatResponse = ({ status, text, write, version }: Call): string =>
  `${status} ${text} version ${version} write ${write}`

export const oneCompany: Rule = {
  name: 'one company',
  promise: 'No write and no change of one company is told to another.',
  *find({ companies }) {
    const ownerOf = new Map<string, string>()
    const own = function* (id: string, name: string): Iterable<string> {
      const owner = ownerOf.get(id) ?? name
      ownerOf.set(id, owner)
      if (owner !== name) yield `${id} is of ${owner}, and ${name} heard of it`
    }
    for (const { name, feed, told, endpoints } of companies) {
      for (const { id, write } of feed as Event[]) {
        yield* own(id, name)
        if (write !== null) yield* own(write, name)
      }
      for (const ids of told.values()) for (const id of ids) yield* own(id, name)
      for (const { deliveries } of endpoints.values()) for (const { id } of deliveries) yield* own(id, name)
    }
  },
}
