import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { drawer } from './draw.ts'
import { type Line, pushTo, type RecordedCall, type RecordedEvent } from './history.ts'

/**
 * `node proof/generate.ts <calls> <file> [seed]`: a history that keeps every promise, made by a small model of the service.
 * It measures the checker, and finds promises that the checker takes for broken.
 */

type ModelRecord = { id: number; version: number; isGone: boolean; name: string; notes: string }
type State = { name: string; records: ModelRecord[]; events: RecordedEvent[]; token: string }

/** Yields the lines of a history of about so many calls. */
export function* generateHistory(calls: number, seed: number): Generator<Line> {
  const draw = drawer(seed)
  const below = (most: number): number => Math.floor(draw() * most)
  const states: State[] = ['a', 'b'].map((name) => ({ name, records: [], events: [], token: `${name}-0` }))
  const limit = 20
  let now = 0
  let made = 0
  const nextName = (what: string): string => `${what}-${made++}`

  const tell = (
    { name, records, events }: State,
    held: ModelRecord,
    {
      action,
      changes = null,
      write,
      key,
    }: { action: string; changes?: RecordedEvent['changes']; write: string; key: string | null },
  ): void => {
    held.version++
    held.isGone = action === 'deleted'
    if (!records.includes(held)) records.push(held)
    events.push({
      ...{ id: `evt-${name}-${events.length}`, records: 'projects', record_id: held.id, version: held.version, action },
      ...{ changes, write_id: write, by: { idempotency_key: key } },
    })
  }

  /** A call that takes effect now, began somewhat earlier and ends somewhat later, or is never heard of. */
  const callOf = ({ name, token }: State, more: Partial<RecordedCall> & { method: string; path: string }): Line => ({
    ...{ kind: 'call', company: name, token, start: now - draw() * 3, end: now + draw() * 3, status: 200, hash: null },
    ...more,
  })
  const lost = { end: null, status: null }

  for (let count = 0; count < calls; ) {
    now += 4 * draw()
    const state = states[below(2)] as State
    const { records } = state
    const live = records.filter(({ isGone }) => !isGone)
    const held = live[below(live.length)]
    const key = draw() < 0.7 ? nextName('key') : null
    const write = nextName('write')
    const hash = key && `${key}-body`
    const dice = draw()
    let call: Line
    if (!held || (dice < 0.1 && live.length < limit)) {
      const fresh: ModelRecord = {
        id: records.length + 1,
        version: 0,
        isGone: false,
        name: nextName('name'),
        notes: '',
      }
      tell(state, fresh, { action: 'created', write, key })
      call = callOf(state, {
        ...{ method: 'POST', path: '/v1/projects', key, hash, status: 201, etag: '"1-x"', write },
        answer: { data: { id: fresh.id, created: true, dry_run: false } },
      })
    } else if (dice < 0.5) {
      const { version } = held
      call = callOf(state, { method: 'GET', path: `/v1/projects/${held.id}`, etag: `"${version}-x"` })
    } else if (dice < 0.85) {
      const [before, after] = [held.notes, nextName('notes')]
      held.notes = after
      const ifMatch = draw() < 0.3 ? { ifMatch: `"${held.version}-x"` } : {}
      tell(state, held, { action: 'updated', changes: { notes: [before, after] }, write, key })
      call = callOf(state, {
        ...{
          method: 'PATCH',
          path: `/v1/projects/${held.id}`,
          key,
          hash,
          etag: `"${held.version}-x"`,
          write,
          ...ifMatch,
        },
        answer: { data: { id: held.id, updated: true, dry_run: false, changed: ['notes'] } },
      })
    } else if (dice < 0.9) {
      tell(state, held, { action: 'deleted', write, key })
      call = callOf(state, {
        ...{ method: 'DELETE', path: `/v1/projects/${held.id}`, key, hash, write },
        answer: { data: { id: held.id, deleted: true, dry_run: false } },
      })
    } else if (dice < 0.95) {
      const [before, after] = [held.notes, nextName('notes')]
      const hashOfPlan = nextName('plan')
      const fields = { notes: [before, after] }
      yield callOf(state, {
        ...{ method: 'PATCH', path: `/v1/projects/${held.id}`, dryRun: true },
        answer: {
          data: { id: held.id, updated: false, dry_run: true, changed: ['notes'] },
          plan: { hash: hashOfPlan, changes: [{ records: 'projects', id: held.id, action: 'updated', fields }] },
        },
      })
      held.notes = after
      tell(state, held, { action: 'updated', changes: { notes: [before, after] }, write, key })
      call = callOf(state, {
        ...{ method: 'PATCH', path: `/v1/projects/${held.id}`, key, hash, etag: `"${held.version}-x"`, write },
        ...{
          ifPlan: `"${hashOfPlan}"`,
          answer: { data: { id: held.id, updated: true, dry_run: false, changed: ['notes'] } },
        },
      })
      count++
    } else if (dice < 0.98) {
      const [before, after] = [held.notes, nextName('notes')]
      tell(state, held, { action: 'updated', changes: { notes: [before, after] }, write, key })
      yield callOf(state, {
        ...{ method: 'PATCH', path: `/v1/projects/${held.id}`, key, hash, etag: `"${held.version}-x"`, write },
        answer: { data: { id: held.id, updated: true, dry_run: false, changed: ['notes'] } },
      })
      now += 7
      const back = nextName('write')
      tell(state, held, { action: 'updated', changes: { notes: [after, before] }, write: back, key: null })
      call = callOf(state, {
        ...{ method: 'POST', path: `/v1/writes/${write}/undo`, write: back },
        answer: { data: { write_id: back, undone: true, dry_run: false, records: 1, remaining: 0 } },
      })
      count++
    } else {
      now += 7
      yield { kind: 'revoked', token: state.token, at: now }
      call = callOf({ ...state }, { method: 'GET', path: '/v1/projects', status: 401, start: now + 1, end: now + 2 })
      state.token = nextName('token')
      now += 7
    }
    count++
    const isAnswered = call.kind !== 'call' || key === null || call.method === 'GET' || draw() < 0.9
    if (isAnswered) yield call
    else {
      yield { ...call, ...lost }
      if (call.kind === 'call' && draw() < 0.8) {
        count++
        yield { ...call, start: now + 7, end: now + 9, replayed: true }
        now += 11
      }
    }
  }
  yield* endOf(states, below)
}

function* endOf(states: readonly State[], below: (most: number) => number): Generator<Line> {
  yield { kind: 'reference', records: 'projects', field: 'parent_id', to: 'projects' }
  for (const { name, records, events } of states) {
    yield { kind: 'limit', company: name, records: 'projects', most: 20 }
    const fieldsOf = ({ id, name: called, notes }: ModelRecord) => ({ id, name: called, notes, parent_id: null })
    const historyOf = new Map<number, string[]>()
    for (const event of events) {
      const held = records[event.record_id - 1] as ModelRecord
      yield { kind: 'feed', company: name, event: { ...event, record: fieldsOf(held) } }
      pushTo(historyOf, held.id, event.id)
    }
    for (const held of records) {
      if (!held.isGone) yield { kind: 'listed', company: name, records: 'projects', record: fieldsOf(held) }
      const ids = historyOf.get(held.id) ?? []
      yield { kind: 'history', company: name, records: 'projects', id: held.id, events: ids.toReversed() }
    }
    for (const to of ['one', 'two'])
      for (const { id } of events.slice(below(5))) yield { kind: 'told', company: name, to, id }
    yield { kind: 'endpoint', company: name, endpoint: 'receiver', ordered: true, records: ['projects'] }
    for (const { id } of events) {
      const message = { kind: 'delivery', company: name, endpoint: 'receiver', id } as const
      if (below(10) === 0) yield { ...message, taken: false }
      yield { ...message, taken: true }
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const [calls = '1000000', file = 'history.jsonl', seed = '1'] = process.argv.slice(2)
  const out = createWriteStream(file)
  for (const line of generateHistory(Number(calls), Number(seed)))
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
}
