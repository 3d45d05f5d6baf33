import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../proof/check.ts'
import { generateHistory } from '../../proof/generate.ts'
import { createHistory, type Line, type RecordedCall, type RecordedEvent } from '../../proof/history.ts'
import { rules } from '../../proof/rules/index.ts'
import { countTrials } from '../../proof/trials.ts'

const brokenBy = (lines: Iterable<Line>): string[] => {
  const { take, history } = createHistory()
  for (const line of lines) take(line)
  return check(history).map(({ rule }) => rule)
}

/** The same with a call that was not answered for each change, so that none is told that nobody asked for. */
const asked = (lines: readonly Line[]): Line[] => [
  ...lines,
  ...lines.flatMap((line) => {
    if (line.kind !== 'feed') return []
    const key = line.event.by?.idempotency_key ?? null
    const { company } = line
    return [call('POST', '/v1/clients', { company, key, start: 1e9, end: null, status: null })]
  }),
]

type CallParts = Partial<RecordedCall>

const call = (method: string, path: string, more: CallParts = {}): Line => ({
  ...{ kind: 'call', company: 'a', token: 't', start: 10, end: 20, method, path, status: 200 },
  ...more,
})
const patch = (version: number, write: string, more: CallParts = {}): Line =>
  call('PATCH', '/v1/clients/1', {
    ...{ etag: `"${version}-x"`, write },
    answer: { data: { id: 1, updated: true, dry_run: false, changed: ['notes'] } },
    ...more,
  })
const event = (version: number, action: string, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...{ id: `e${version}`, records: 'clients', record_id: 1, version, action, changes: null, write_id: `w${version}` },
  ...more,
})
const feed = (...events: RecordedEvent[]): Line[] => events.map((one) => ({ kind: 'feed', company: 'a', event: one }))
const notes = (before: unknown, after: unknown) => ({ changes: { notes: [before, after] as const } })
const listed = (record = { id: 1 } as { id: number }, records = 'clients'): Line => ({
  ...{ kind: 'listed', company: 'a', records, record },
})

const created = event(1, 'created')
const updated = event(2, 'updated', notes('', 'x'))
const deleted = event(3, 'deleted')
const keyed = (key: string) => ({ by: { idempotency_key: key } })
const ofOneWrite = (one: RecordedEvent): RecordedEvent => ({ ...one, ...keyed('k'), write_id: 'w2' })
const changedNotes = { data: { id: 1, updated: true, dry_run: false, changed: ['notes'] } }
const plan = {
  ...{ data: { id: 1, updated: false, dry_run: true, changed: ['notes'] } },
  plan: { hash: 'h', changes: [{ records: 'clients', id: 1, action: 'updated', fields: { notes: ['', 'x'] } }] },
}
const undone = { data: { undone: true, dry_run: false, records: 1, remaining: 0 } }

/** For each rule histories that break it and no other. */
const broken: [rule: string, title: string, lines: Line[]][] = [
  [
    'one effect a key',
    'two writes of one key, of which one was answered',
    [
      patch(2, 'w2', { key: 'k' }),
      ...feed(created, { ...updated, ...keyed('k') }, event(3, 'updated', { ...notes('x', 'y'), ...keyed('k') })),
      listed(),
    ],
  ],
  [
    'one effect a key',
    'a write that was refused',
    [
      call('PATCH', '/v1/clients/1', { key: 'k', status: 422, answer: { code: 'validation_failed' } }),
      ...feed(created, { ...updated, ...keyed('k') }),
      listed(),
    ],
  ],
  [
    'one effect a key',
    'a key that was run twice with one answer',
    [patch(2, 'w2', { key: 'k' }), patch(2, 'w2', { key: 'k', start: 10 }), ...feed(created, updated), listed()],
  ],
  [
    'one effect a key',
    'a batch that made more changes than its operations',
    [
      call('POST', '/v1/batch', {
        ...{ key: 'k', write: 'w2' },
        answer: { data: { mode: 'each', operations: [{ n: 0, status: 200, ...changedNotes }] } },
      }),
      ...feed(created, ...[event(2, 'updated', notes('', 'x')), event(3, 'updated', notes('x', 'y'))].map(ofOneWrite)),
      listed(),
    ],
  ],
  [
    'one effect a key',
    'one key accepted with two bodies',
    [
      patch(2, 'w2', { key: 'k', hash: 'one' }),
      patch(2, 'w2', { key: 'k', hash: 'other', replayed: true }),
      ...feed(created, updated),
      listed(),
    ],
  ],
  [
    'one effect a call',
    'a create that made two records',
    [
      call('POST', '/v1/clients', { write: 'w1', answer: { data: { id: 1, created: true } } }),
      ...feed(created, event(1, 'created', { id: 'e2', record_id: 2, write_id: 'w1' })),
      listed(),
      listed({ id: 2 }),
    ],
  ],
  ['nothing lost', 'a write that was answered and is not told', [patch(1, 'w9'), ...feed(created), listed()]],
  [
    'nothing lost',
    'a preview that wrote',
    [call('PATCH', '/v1/clients/1', { dryRun: true, write: 'w2' }), ...feed(created, updated), listed()],
  ],
  [
    'nothing lost',
    'a write that is there, and one that was answered before it began and is lost, where the last may be lost',
    [
      patch(2, 'w9', { start: 110, end: 120 }),
      patch(2, 'w2', { start: 130, end: 140 }),
      { kind: 'lost', from: 100, to: 200 },
      ...feed(created, updated),
      call('PATCH', '/v1/clients/1', { start: 1, end: null, status: null }),
      call('PATCH', '/v1/clients/1', { start: 1, end: null, status: null }),
      listed(),
    ],
  ],
  [
    'nothing lost',
    'a write that is lost from before the time of which the last may be lost',
    [patch(1, 'w9', { start: 50, end: 60 }), { kind: 'lost', from: 100, to: 200 }, ...feed(created), listed()],
  ],
  [
    'nothing lost',
    'a write that is lost from after that time',
    [{ kind: 'lost', from: 100, to: 200 }, patch(1, 'w9', { start: 210, end: 220 }), ...feed(created), listed()],
  ],
  [
    'a replay is the first answer',
    'a replay with another body',
    [
      patch(2, 'w2', { key: 'k' }),
      patch(2, 'w2', { key: 'k', replayed: true, answer: { data: { ...changedNotes.data, changed: ['name'] } } }),
      ...feed(created, updated),
      listed(),
    ],
  ],
  [
    'one company',
    'a change told to another company',
    [
      ...feed(created),
      listed(),
      { kind: 'feed', company: 'b', event: created },
      { kind: 'listed', company: 'b', records: 'clients', record: { id: 1 } },
    ],
  ],
  ['versions without gap or fork', 'a version that is missing', [...feed(created, event(3, 'updated')), listed()]],
  [
    'versions without gap or fork',
    'two changes that begin with the same value',
    [...feed(created, updated, event(3, 'updated', notes('', 'y'))), listed()],
  ],
  [
    'versions without gap or fork',
    'a read of what was never committed',
    [call('GET', '/v1/clients/1', { etag: '"2-x"' }), ...feed(created), listed()],
  ],
  ['lists = feed = history', 'a record that no list has', feed(created)],
  ['lists = feed = history', 'a deleted record in a list', [...feed(created, updated, deleted), listed()]],
  ['lists = feed = history', 'a record that the feed does not tell', [listed()]],
  [
    'lists = feed = history',
    'another value in the list',
    [...feed({ ...created, record: { id: 1, name: 'A' } }), listed({ id: 1, name: 'B' } as { id: number })],
  ],
  [
    'lists = feed = history',
    'a history that misses a change',
    [...feed(created, updated), listed(), { kind: 'history', company: 'a', records: 'clients', id: 1, events: ['e1'] }],
  ],
  ['tombstones', 'a change after the end', [...feed(created, event(2, 'deleted'), event(3, 'updated')), listed()]],
  ['tombstones', 'a second beginning', [...feed(created, event(2, 'created')), listed()]],
  [
    'no older answer',
    'a read that is older than one before it',
    [
      call('GET', '/v1/clients/1', { etag: '"2-x"', start: 10, end: 20 }),
      call('GET', '/v1/clients/1', { etag: '"1-x"', start: 21, end: 30 }),
      ...feed(created, updated),
      listed(),
    ],
  ],
  [
    'no older answer',
    'a read of what an answered deletion has ended',
    [
      call('DELETE', '/v1/clients/1', { write: 'w3', answer: { data: { id: 1, deleted: true } } }),
      call('GET', '/v1/clients/1', { etag: '"2-x"', start: 21, end: 30 }),
      ...feed(created, updated, deleted),
    ],
  ],
  [
    'no older answer',
    'a record that is said to be gone after it was answered as there',
    [
      call('GET', '/v1/clients/1', { etag: '"1-x"' }),
      call('GET', '/v1/clients/1', { status: 404, start: 21, end: 30 }),
      ...feed(created),
      listed(),
    ],
  ],
  [
    'If-Match',
    'two writes on one version',
    [
      patch(2, 'w2', { ifMatch: '"1-x"' }),
      patch(3, 'w3', { ifMatch: '"1-x"' }),
      ...feed(created, updated, event(3, 'updated', notes('x', 'y'))),
      listed(),
    ],
  ],
  [
    'If-Plan',
    'a plan that was applied to another state',
    [
      call('PATCH', '/v1/clients/1', { dryRun: true, answer: plan }),
      patch(3, 'w3', { ifPlan: '"h"' }),
      ...feed(created, event(2, 'updated', notes('', 'y')), event(3, 'updated', notes('y', 'x'))),
      listed(),
    ],
  ],
  [
    'If-Plan',
    'a plan that was applied twice',
    [
      call('PATCH', '/v1/clients/1', { dryRun: true, answer: plan }),
      patch(2, 'w2', { ifPlan: '"h"' }),
      patch(3, 'w3', { ifPlan: '"h"' }),
      ...feed(created, updated, event(3, 'updated', { changes: {} })),
      listed(),
    ],
  ],
  [
    'undo leaves what was before',
    'an undo over a later change',
    [
      call('POST', '/v1/writes/w2/undo', { write: 'w4', answer: undone }),
      ...feed(created, updated, event(3, 'updated', notes('x', 'y')), event(4, 'updated', notes('y', ''))),
      listed(),
    ],
  ],
  [
    'undo leaves what was before',
    'an undo that leaves what was created',
    [
      call('POST', '/v1/writes/w1/undo', { write: 'w2', answer: undone }),
      ...feed(created, event(2, 'updated', notes('', 'x'))),
      listed(),
    ],
  ],
  [
    'references',
    'a project of a client that is gone',
    [
      { kind: 'reference', records: 'projects', field: 'client_id', to: 'clients' },
      ...feed(event(1, 'created', { records: 'projects' })),
      listed({ id: 1, client_id: 7 } as { id: number }, 'projects'),
    ],
  ],
  [
    'plan limit',
    'two records at one moment, where one is allowed',
    [
      { kind: 'limit', company: 'a', records: 'clients', most: 1 },
      call('POST', '/v1/clients', { write: 'w1', start: 1, end: 2, answer: { data: { id: 1, created: true } } }),
      call('POST', '/v1/clients', { write: 'w5', start: 1, end: 3, answer: { data: { id: 2, created: true } } }),
      call('DELETE', '/v1/clients/2', { write: 'w6', start: 4, end: 5, answer: { data: { id: 2, deleted: true } } }),
      ...feed(
        created,
        event(1, 'created', { id: 'e5', record_id: 2, write_id: 'w5' }),
        event(2, 'deleted', { id: 'e6', record_id: 2, write_id: 'w6' }),
      ),
      listed(),
    ],
  ],
  [
    'nothing unasked',
    'a change of a preview',
    [call('PATCH', '/v1/clients/1', { dryRun: true, answer: plan }), ...feed(created), listed()],
  ],
  [
    'nothing unasked',
    'a change under a key that nobody sent',
    [patch(1, 'w1'), ...feed({ ...created, ...keyed('k') }), listed()],
  ],
  [
    'followers',
    'a change that one who follows was not told',
    [
      ...feed(created, updated, deleted),
      { kind: 'told', company: 'a', to: 'one', id: 'e1' },
      { kind: 'told', company: 'a', to: 'one', id: 'e3' },
    ],
  ],
  [
    'followers',
    'a change that one who follows was not told before a 410',
    [
      ...feed(created, updated, deleted),
      { kind: 'told', company: 'a', to: 'one', id: 'e1' },
      { kind: 'told', company: 'a', to: 'one', id: 'e3' },
      { kind: 'gone', company: 'a', to: 'one' },
    ],
  ],
  [
    'webhooks',
    'a change that was sent and never taken',
    [
      ...feed(created, updated),
      listed(),
      { kind: 'endpoint', company: 'a', endpoint: 'r', ordered: false, records: ['clients'] },
      { kind: 'delivery', company: 'a', endpoint: 'r', id: 'e1', taken: true },
      { kind: 'delivery', company: 'a', endpoint: 'r', id: 'e2', taken: false },
    ],
  ],
  [
    'webhooks',
    'a change that was sent before its turn',
    [
      ...feed(created, updated),
      listed(),
      { kind: 'endpoint', company: 'a', endpoint: 'r', ordered: true, records: ['clients'] },
      { kind: 'delivery', company: 'a', endpoint: 'r', id: 'e2', taken: true },
      { kind: 'delivery', company: 'a', endpoint: 'r', id: 'e1', taken: true },
    ],
  ],
  [
    'revocation',
    'a call with a token whose end was answered',
    [{ kind: 'revoked', token: 't', at: 20 }, call('GET', '/v1/clients', { start: 21, end: 30 })],
  ],
]

test.each(broken)('Only the rule "%s" finds %s', (rule, _, lines) => {
  expect(brokenBy(rule === 'nothing unasked' ? lines : asked(lines))).toEqual([rule])
})

test('For every rule there is a history that it alone finds', () => {
  expect(new Set(broken.map(([rule]) => rule))).toEqual(new Set(rules.map(({ name }) => name)))
})

test('Of every rule it is counted how often a history tries it', () => {
  const { take, history } = createHistory()
  for (const line of generateHistory(2000, 1)) take(line)
  const counts = countTrials(history)
  expect(Object.keys(counts)).toEqual(rules.map(({ name }) => name))
  expect(Object.keys(counts).filter((rule) => counts[rule] === 0)).toEqual(['plan limit'])
})

test('A call that was not answered may have happened or not', () => {
  const unanswered = patch(2, 'w2', { key: 'k', end: null, status: null })
  expect(brokenBy(asked([unanswered, ...feed(created), listed()]))).toEqual([])
  expect(brokenBy(asked([unanswered, ...feed(created, { ...updated, ...keyed('k') }), listed()]))).toEqual([])
})

test('The last that was answered may be lost where the history says so, and was told to followers before', () => {
  const lines = [
    patch(2, 'w2', { start: 90, end: 95 }),
    patch(3, 'w9', { start: 110, end: 120, key: 'k' }),
    { kind: 'lost', from: 100, to: 200 } as const,
    // Sent again, the key is run again.
    patch(3, 'w3', { start: 210, end: 220, key: 'k' }),
    ...feed(created, updated, event(3, 'updated', { ...notes('x', 'y'), ...keyed('k') })),
    ...['e1', 'e2', 'e9'].map((id) => ({ kind: 'told', company: 'a', to: 'one', id }) as const),
    { kind: 'gone', company: 'a', to: 'one' } as const,
    { kind: 'told', company: 'a', to: 'one, start 2', id: 'e3' } as const,
    call('POST', '/v1/clients', { start: 1, end: null, status: null }),
    listed(),
  ]
  expect(brokenBy(lines)).toEqual([])
  expect(brokenBy(lines.filter(({ kind }) => kind !== 'lost'))).not.toEqual([])
})

test('A series that was first sent before a lost write was answered may be there, whoever answers it later', () => {
  const series = { key: 'k', answer: { data: { mode: 'each', operations: [{ ...changedNotes }] } } }
  const lines = [
    call('PATCH', '/v1/clients/1', { start: 105, end: 108, status: 503, key: 'k' }),
    patch(2, 'w9', { start: 110, end: 120 }),
    call('POST', '/v1/batch', { start: 130, end: 140, write: 'w2', ...series }),
    { kind: 'lost', from: 100, to: 200 } as const,
    ...feed(created, { ...updated, ...keyed('k') }),
    call('POST', '/v1/clients', { start: 1, end: null, status: null }),
    listed(),
  ]
  expect(brokenBy(lines)).toEqual([])
  expect(brokenBy(lines.slice(1))).toContain('nothing lost')
})

test('Histories that keep every promise are found clean', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 400 }), (seed, calls) => {
      expect(brokenBy(generateHistory(calls, seed))).toEqual([])
    }),
  )
})

test('A generated history from which one told change is taken is found broken', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(), (seed, drawn) => {
      const lines = [...generateHistory(200, seed)]
      const told = lines.filter(({ kind }) => kind === 'feed')
      const missing = told[drawn % told.length]
      expect(brokenBy(lines.filter((line) => line !== missing))).not.toEqual([])
    }),
  )
})

const folder = join(import.meta.dirname, '../../proof')

test('What checks the service and drives it imports nothing of the service', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const strays = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/(?:\bfrom|(?<!-)\bimport)\s*\(?\s*'([^']+)'/g)].flatMap(
      ([, target]) => {
        const path = target?.startsWith('.') ? normalize(join('proof', dirname(name), target)) : (target as string)
        // Neither the driver of PostgreSQL nor the clock of a simulation is code of the service.
        return /^(node:|proof\/|pg$|@sinonjs\/fake-timers$)/.test(path) ? [] : [`${name}: ${path}`]
      },
    ),
  )
  expect(files).toContain('check.ts')
  expect(strays).toEqual([])
})
