import { expect, test } from 'vitest'
import { createHistory } from '../../proof/history.ts'
import { measureKills } from '../../proof/kills.ts'
import { judgeDeletion } from '../../proof/races/deletions.ts'
import type { Answered } from '../../proof/races/field.ts'
import { judgeKey } from '../../proof/races/keys.ts'
import { judgePlaces } from '../../proof/races/plans.ts'
import type { RecordedResponse } from '../../proof/recorder.ts'
import { addUp, fileOfRound } from '../../proof/rounds.ts'

/** How races and kills are judged. */

const answered = (
  status: number | null,
  more: Partial<RecordedResponse> = {},
  want = 'create',
  body = 'one',
): Answered => ({
  want,
  parts: { method: 'POST', path: '/v1/clients', body: { name: body } },
  answer: { status, ...more },
})
const refused = (status: number, code: string, want?: string): Answered => answered(status, { answer: { code } }, want)
const first = answered(201)
const replay = answered(201, { replayed: true })
const unsettled = answered(503)
const inProgress = refused(409, 'idempotency_in_progress')
const reused = refused(409, 'idempotency_key_reuse')

test.each([
  { title: 'one first answer and its replays', heard: [inProgress, first, replay], wrong: [] },
  { title: 'two first answers', heard: [first, first], wrong: ['2 callers did the work'] },
  { title: 'no first answer', heard: [replay, inProgress], wrong: ['0 callers did the work'] },
  { title: 'no first answer, but one that was lost', heard: [replay, unsettled], wrong: [] },
  { title: 'another refusal', heard: [first, refused(404, 'not_found')], wrong: ['answered 404 not_found'] },
  {
    title: 'a refusal of a body that nobody sent',
    heard: [first, reused],
    wrong: ['answered 409 idempotency_key_reuse'],
  },
  { title: 'a refusal of another body', heard: [first, reused], isMixed: true, wrong: [] },
  {
    title: 'two bodies',
    heard: [first, answered(201, { replayed: true }, 'create', 'other')],
    isMixed: true,
    wrong: ['two bodies were accepted'],
  },
  { title: 'a series that two callers did', heard: [first, first], isSeries: true, wrong: [] },
])('Of one key: $title', ({ heard, isMixed = false, isSeries = false, wrong }) => {
  expect(judgeKey(heard, { isMixed, isSeries })).toEqual(wrong)
})

const deleted = answered(200, {}, 'deletion')
const blocked = refused(409, 'delete_blocked', 'deletion')
const protecting = answered(201, {}, 'create, that protects')
const unlinked = answered(201, {}, 'create')

test.each([
  { title: 'deleted before the reference', heard: [deleted, refused(422, 'validation_failed')], wrong: [] },
  { title: 'blocked by a reference', heard: [blocked, protecting], wrong: [] },
  { title: 'unlinked', heard: [unlinked, deleted], wrong: [] },
  {
    title: 'deleted under a reference that protects it',
    heard: [deleted, protecting],
    wrong: ['it was deleted, and a reference that protects it was taken'],
  },
  { title: 'deleted twice', heard: [deleted, deleted], wrong: ['2 deletions were done'] },
  {
    title: 'blocked by nothing',
    heard: [blocked, unlinked],
    wrong: ['nothing protected it, and no deletion was done'],
  },
  { title: 'a strange answer', heard: [deleted, answered(403)], wrong: ['create is answered 403'] },
])('Of a deletion: $title', ({ heard, wrong }) => {
  expect(judgeDeletion(heard, true)).toEqual(wrong)
})

const full = refused(402, 'plan_limit_reached')

test.each([
  { title: 'one of one place taken', heard: [first, full], after: 25, wrong: [] },
  { title: 'two of one place taken', heard: [first, first], after: 25, wrong: ['2 callers took 1 places'] },
  { title: 'a place that nobody got', heard: [full, full], after: 25, wrong: ['0 callers took 1 places'] },
  { title: 'a record too many', heard: [first, full], after: 26, wrong: ['26 records are there, of 25'] },
  {
    title: 'another refusal',
    heard: [first, refused(409, 'conflict')],
    after: 25,
    wrong: ['create at the limit of the plan is answered 409 conflict'],
  },
])('Of a plan: $title', ({ heard, after, wrong }) => {
  expect(judgePlaces(heard, { places: 1, after, most: 25 })).toEqual(wrong)
})

test('A wait is the longest time after a kill in which no call was answered with success', () => {
  const { take, history } = createHistory()
  const common = { kind: 'call', company: 'a', token: 't', method: 'GET', path: '/v1/clients' } as const
  const ends: [number, number | null][] = [
    [90, 200],
    [110, 200],
    [500, 503],
    [700, 200],
    [1100, 200],
    [1150, 200],
  ]
  for (const [end, status] of ends) take({ ...common, start: end - 5, end, status })
  const kills = [
    { at: 100, fault: 'one', calls: 3 },
    { at: 1000, fault: 'two', calls: 4 },
  ]
  expect(measureKills(kills, history)).toEqual([
    { fault: 'one', calls: 3, waitMs: 590 },
    { fault: 'two', calls: 4, waitMs: 100 },
  ])
})

test('Findings of rounds are added up, and each round has a file of its own', () => {
  const one = { calls: 2, met: { kill: { read: 1 } }, violations: ['a'] }
  const other = { calls: 3, met: { kill: { read: 2, list: 1 }, stop: { read: 1 } }, violations: ['b'] }
  const both = { calls: 5, met: { kill: { read: 3, list: 1 }, stop: { read: 1 } }, violations: ['a', 'b'] }
  expect(addUp(one, other)).toEqual(both)
  expect([1, 2].map((round) => fileOfRound('data/races.jsonl', round))).toEqual([
    'data/races.jsonl',
    'data/races-2.jsonl',
  ])
})
