import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mustBeGiven } from '#derive/schema.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { operator } from '#server/records/actor.ts'
import { runRecordsBatch } from '#server/records/records-batch.ts'
import { createRemoval } from '#server/records/remove.ts'
import { restoreRemoval } from '#server/records/restore.ts'
import { undo } from '#server/records/undo.ts'
import { createOne, runCommand, updateOne } from '#server/records/write-record.ts'
import { holdInOrder, lockOrder, lockTree } from '#sql/records/lock-order.ts'
import { passGate } from '#sql/system/locks.ts'
import { contend } from '../cluster/contention.ts'
import type { TestResponse } from '../stage/http.ts'
import { watchLocks } from '../stage/lock-recorder.ts'
import { billed, type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** Every statement that locks, of every write: in the one order, and no lock more strongly than it was taken. */
let stage: Stage
let company: Company
let watched: ReturnType<typeof watchLocks>
beforeAll(async () => {
  // A machine that is busy with other tests opens connections slowly; that is no conflict.
  stage = await openStage()
  company = await stage.company()
  watched = watchLocks(stage.app.database)
})
afterAll(() => stage.close())

const told = (): string[] => [...new Set(watched.violations.splice(0))]

/** Values for a record with everything it can refer to. */
async function full(definition: Definition): Promise<JsonObject> {
  const values: JsonObject = {}
  for (const [name, field] of Object.entries(definition.fields)) {
    if (field.readOnly || field.kind === 'instant') continue
    const value = await sampleOf(definition, name, field)
    if (value !== null) values[name] = value
  }
  return values
}

async function sampleOf(definition: Definition, name: string, field: Field) {
  if (field.kind === 'text' && field.unique) return `${name} ${crypto.randomUUID().slice(0, 8)}`
  if (field.kind !== 'reference')
    return field.required || name === definition.title ? kindOf(field).example(field) : null
  const target = definitionOf(registry, field.to) as Definition
  // What it settles is in a state in which that can be, and has what the state needs.
  const state = Object.entries((field.settles && field.gives?.when) || {}).map(([column, [value]]) => [column, value])
  const isBeyondFirst = field.only !== undefined || state.length > 0
  const needed = Object.entries(billed).filter(([name]) => isBeyondFirst && name in target.fields)
  const only = field.only ? { [field.only.column]: field.only.value } : {}
  return (await created(target, { ...Object.fromEntries([...needed, ...state]), ...only })) as number
}

async function created(definition: Definition, more: JsonObject = {}): Promise<number> {
  const required = Object.entries(definition.fields).filter(([, field]) => mustBeGiven(field))
  const values: JsonObject = {}
  for (const [name, field] of required) values[name] = (await sampleOf(definition, name, field)) as string
  const { id } = await stage.inTransaction((transaction) =>
    runCommand(transaction, operator(company.id), createOne(company.id, definition, { body: { ...values, ...more } })),
  )
  return id
}

describe('Writes by the services take their locks in order', () => {
  test.each(registry)('$name', async (definition) => {
    const { name } = definition
    const actor = () => operator(company.id)
    const body = await full(definition)
    // Rules may want other references than those; the statements that lock are the same when they refuse.
    const id = await created(definition)
    const change_ = actor()
    const tried = (work: () => Promise<unknown>) => work().catch((error: Error) => expect(error.name).toBe('Refusal'))
    await tried(() => stage.inTransaction((t) => runCommand(t, actor(), createOne(company.id, definition, { body }))))
    await tried(() =>
      stage.inTransaction((t) =>
        runCommand(t, change_, updateOne(company.id, definition, { id, body, expected: undefined })),
      ),
    )
    const title = { [definition.title]: definition.fields[definition.title]?.kind === 'text' ? 'Another' : null }
    await tried(() =>
      stage.inTransaction((t) =>
        runCommand(t, change_, updateOne(company.id, definition, { id, body: title, expected: undefined })),
      ),
    )
    await tried(() => stage.inTransaction((t) => runCommand(t, actor(), undo(company.id, change_.writeId))))
    const removing = actor()
    await tried(() =>
      stage.inTransaction((t) =>
        runCommand(t, removing, createRemoval(company.id, definition, { id, expected: undefined })),
      ),
    )
    await tried(() => stage.inTransaction((t) => runCommand(t, actor(), undo(company.id, removing.writeId))))
    await tried(() =>
      stage.inTransaction((t) =>
        runCommand(t, actor(), createRemoval(company.id, definition, { id, expected: undefined })),
      ),
    )
    const [row] = await stage.sql<{ id: number }>(
      'select max(id) as id from removals where company_id = $1',
      company.id,
    )
    await tried(() => stage.inTransaction((t) => restoreRemoval(t, actor(), row?.id ?? 0)))
    await tried(() =>
      stage.inTransaction((t) =>
        runRecordsBatch(stage.app, t, actor(), {
          ...{ definition, dryRun: true, ifPlan: undefined },
          operations: [
            { op: 'create', body },
            { op: 'update', id, body: title },
          ],
          call: { requestId: 'r', errorsPage: '/docs/errors' },
        }),
      ),
    )
    expect(told()).toEqual([])
    expect([...watched.statements].some((statement) => statement.startsWith(`${name}.`))).toBe(true)
  })
})

test('So do the calls of /v1, batches, upserts and undos, restores and rotations among them.', async () => {
  const companies = [await stage.company({ plan: 'PRO' }), await stage.company()]
  const seen = await contend(stage, { urls: [stage.url], companies, connections: 4, durationMs: 3000 })
  expect(seen.failures).toEqual([])
  expect(told()).toEqual([])
})

test('A record that comes to refer to what an undo removes, while the undo waits for it, is not locked behind the others.', async () => {
  const own = await stage.company()
  const [below, other] = [
    await own.create('workers', { name: 'Below' }),
    await own.create('workers', { name: 'Other' }),
  ]
  const operations = [
    { op: 'create', records: 'workers', body: { name: 'Above' } },
    { op: 'update', records: 'workers', id: other, body: { supervisor_id: below } },
  ]
  const written = await own.call('POST', '/v1/batch', { body: { mode: 'all', operations } })
  const above = written.body.data.operations[0].data.id as number
  let undone: Promise<TestResponse> | undefined
  await stage.inTransaction(async (transaction) => {
    const text = 'update workers set supervisor_id = $1 where company_id = $2 and id = $3'
    await transaction.run({ text, values: [above, own.id, below] })
    undone = own.call('POST', `/v1/writes/${written.headers['x-write-id']}/undo`)
    await eventually(async () => expect(await stage.waiting()).toBe(1))
  })
  expect(await undone).toMatchObject({
    status: 409,
    body: { code: 'undo_conflict', conflicts: [{ records: 'workers', id: below }] },
  })
  expect(told()).toEqual([])
})

test('What is out of order is noticed.', async () => {
  const [first, second] = [
    await created(definitionOf(registry, 'clients') as Definition),
    await created(definitionOf(registry, 'clients') as Definition),
  ]
  const project = await created(definitionOf(registry, 'projects') as Definition)
  const hold = (table: string, id: number, strength = 'for share' as const) =>
    holdInOrder(company.id, table, [{ id, hold: strength }])
  const orders = [
    [hold('projects', project), hold('clients', first)],
    [hold('clients', second), hold('clients', first)],
    [lockTree(company.id, 'workers', 'supervisor_id'), hold('clients', first)],
    [hold('clients', first), passGate(company.id)],
    [hold('clients', first), holdInOrder(company.id, 'clients', [{ id: first, hold: 'for update' }])],
  ]
  for (const order of orders) {
    await stage.inTransaction((transaction) => Promise.all(order.map((statement) => transaction.run(statement))))
    expect(told()).toHaveLength(1)
  }
  expect(lockOrder(registry).indexOf('clients')).toBeLessThan(lockOrder(registry).indexOf('projects'))
})
