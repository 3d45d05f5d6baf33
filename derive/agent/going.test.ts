import { expect, test } from 'vitest'
import type { PlannedChange } from '#registry/refusals.ts'
import { listGoing } from './going.ts'

const gone = (records: string, id: number): PlannedChange => ({ records, id, action: 'deleted', fields: {} })
const remove = (records: string, id: number) => ({ op: 'delete', records, id })

test('All records that a batch deletes are counted, those along included, also where the preview shows only some', () => {
  const along = Array.from({ length: 997 }, (_, n) => gone('tasks', n + 10))
  const changes = [gone('projects', 1), gone('tasks', 2), ...along]
  const would_delete = [{ records: 'tasks', count: 1200, ids: [] }]
  const operations = [remove('projects', 1), remove('tasks', 2), { op: 'create', records: 'tasks', body: {} }]
  const going = listGoing({ changes, would_delete }, operations)
  expect(going.named.map(({ records, id }) => `${records} ${id}`)).toEqual(['projects 1', 'tasks 2'])
  expect(going.along).toHaveLength(997)
  expect(going.count).toBe(1202)
})

test('Of an undo, those go along that the preview says go along', () => {
  const changes = [gone('clients', 1), gone('contacts', 5), { ...gone('clients', 2), action: 'updated' as const }]
  const going = listGoing({ changes, would_delete: [{ records: 'contacts', count: 1, ids: [5] }] }, null)
  expect(going).toEqual({ named: [changes[0]], along: [changes[1]], count: 2 })
  expect(listGoing({ changes: changes.slice(2), would_delete: [] }, null).count).toBe(0)
})
