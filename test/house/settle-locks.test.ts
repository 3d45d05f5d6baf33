import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readBatch } from '#derive/batch.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { operator } from '#server/records/actor.ts'
import { batchCommand } from '#server/records/batch.ts'
import { createRemoval } from '#server/records/remove.ts'
import { restoreRemoval } from '#server/records/restore.ts'
import { undo } from '#server/records/undo.ts'
import { type Command, createOne, runCommand, updateOne } from '#server/records/write-record.ts'
import { createJars } from '../stage/jars.ts'
import { watchLocks } from '../stage/lock-recorder.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

vi.mock(import('#registry/resources/index.ts'), async (original) => {
  const resources = await original()
  const { madeUp } = await import('../stage/jars.ts')
  return { ...resources, registry: [...resources.registry, ...(madeUp as readonly Definition[])] }
})

let stage: Stage
let company: Company
let watched: ReturnType<typeof watchLocks>
beforeAll(async () => {
  stage = await openStage()
  await createJars(stage)
  company = await stage.company()
  watched = watchLocks(stage.app.database)
})
afterAll(() => stage.close())

const [jars, coins] = ['jars', 'coins'].map((name) => definitionOf(registry, name)) as [Definition, Definition]

const run = <T>(command: Command<T>, actor = operator(company.id)): Promise<T> =>
  stage.inTransaction((transaction) => runCommand(transaction, actor, command))
const create = async (definition: Definition, body: JsonObject): Promise<number> =>
  (await run(createOne(company.id, definition, { body }))).id
const update = (definition: Definition, id: number, body: JsonObject) =>
  run(updateOne(company.id, definition, { id, body, expected: undefined }))
const batch = (operations: JsonObject[], actor = operator(company.id)) => {
  const body = { mode: 'all', operations }
  return run(batchCommand(readBatch(body, registry), false, { requestId: 'r', errorsPage: '' }), actor)
}

test('A write locks what it settles in its place, both ends of a reference that changes, and sums behind all records.', async () => {
  const shelf = await company.record('projects', { name: 'Shelf' })
  const one = await create(jars, { name: 'One', project_id: shelf })
  const other = await create(jars, { name: 'Other', project_id: shelf, weight_minor: 5 })
  const coin = await create(coins, { jar_id: other, amount_minor: 1 })
  for (const jar_id of [one, other]) await update(coins, coin, { jar_id })
  await update(jars, other, { weight_minor: 7 })
  const actor = operator(company.id)
  await batch(
    [
      { op: 'update', records: 'coins', id: coin, body: { amount_minor: 2 } },
      { op: 'update', records: 'jars', id: other, body: { weight_minor: 9 } },
      { op: 'create', records: 'coins', body: { jar_id: one, amount_minor: 3 } },
      { op: 'update', records: 'coins', id: coin, body: { jar_id: one } },
      { op: 'update', records: 'jars', id: one, body: { weight_minor: 3 } },
    ],
    actor,
  )
  await run(undo(company.id, actor.writeId))
  await run(createRemoval(company.id, coins, { id: coin, expected: undefined }))
  const [removal] = await stage.sql<{ id: number }>(
    'select max(id) as id from removals where company_id = $1',
    company.id,
  )
  await stage.inTransaction((transaction) => restoreRemoval(transaction, operator(company.id), removal?.id ?? 0))
  const paid = await stage.sql('select id, paid_minor from jars where company_id = $1 order by id', company.id)
  expect(paid).toEqual([
    { id: one, paid_minor: 0 },
    { id: other, paid_minor: 1 },
  ])
  expect(watched.violations).toEqual([])
  expect([...watched.statements]).toEqual(expect.arrayContaining(['sums.take', 'jars.hold']))
})
