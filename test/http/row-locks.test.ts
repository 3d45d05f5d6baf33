import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { operator } from '#server/records/actor.ts'
import { runRecordsBatch } from '#server/records/records-batch.ts'
import { restoreRemoval } from '#server/records/restore.ts'
import { holdInOrder } from '#sql/records/lock-order.ts'
import { contend } from '../cluster/contention.ts'
import { oldestPrograms, openOtherServer } from '../stage/other-postgres.ts'
import { openDelayingRelay } from '../stage/relay.ts'
import { type RowLocks, watchRowLocks } from '../stage/row-locks.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/**
 * Rows that are locked, whoever locks them: found by trying them behind each statement of every write. PostgreSQL checks
 * the foreign keys of a row again that a transaction writes a second time, and locks what it refers to.
 */
if (oldestPrograms === undefined) console.log('NOT RUN: row locks of PostgreSQL 15, which this machine does not have')

const bundled = { name: 'the bundled PostgreSQL', programs: undefined }
const oldest = oldestPrograms === undefined ? bundled : { name: 'PostgreSQL 15', programs: oldestPrograms }
// What a statement locks depends on neither: each server and each way to it is tried once.
const ways = [
  { ...bundled, way: 'a socket', isRelayed: false },
  { ...oldest, way: 'TCP and a relay that delays', isRelayed: true },
]

describe.each(ways)('No row of $name is locked but by a statement that says so, by $way', ({ programs, isRelayed }) => {
  let stage: Stage
  let locks: RowLocks
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    const other = programs === undefined ? undefined : await openOtherServer(programs)
    if (other) closing.push(other.close)
    let relayed: Awaited<ReturnType<typeof openDelayingRelay>> | undefined
    const first = await openStage({}, undefined, (connection) => other?.server ?? connection)
    if (isRelayed) {
      relayed = await openDelayingRelay(other?.server ?? first.connection)
      const { server, close } = relayed
      stage = await openStage({}, undefined, () => server)
      closing.push(close, first.close)
    } else stage = first
    closing.unshift(stage.close)
    locks = await watchRowLocks(stage.app.database, other?.server ?? first.connection)
    closing.unshift(locks.close)
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })
  const told = (): string[] => [...new Set(locks.violations.splice(0))]

  /** A company in which everything refers to something, and calls whose answers have to be good. */
  async function site() {
    const company = await stage.company()
    const write = async (method: string, path: string, body?: JsonObject): Promise<{ id: string; data: Data }> => {
      const { status, text, body: answer, headers } = await company.call(method, path, { body })
      if (status >= 300) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`)
      return { id: headers['x-write-id'] as string, data: answer.data }
    }
    locks.isOn = false
    const ids = await fill(company)
    locks.isOn = true
    const batch = (...operations: JsonObject[]) => write('POST', '/v1/batch', { mode: 'all', operations })
    return {
      ...{ company, ids, write, batch },
      /** Undoes a write, then the undo, then that undo. So many of them succeed at least; the next may be refused. */
      back: async (writeId: string, least = 3) => {
        for (let undos = 0, id = writeId; undos < 3; undos++) {
          const path = `/v1/writes/${id}/undo`
          const { status, text, headers } = await company.call('POST', path)
          if (status >= 300 && undos >= least) return
          expect(status, text).toBe(200)
          id = headers['x-write-id'] as string
        }
      },
    }
  }

  test.each(cases)('$title', async ({ run }) => {
    const here = await site()
    await run(here, stage)
    expect(told()).toEqual([])
  })

  test('So are calls of every kind, many at once.', async () => {
    const before = locks.seen.locks
    const companies = [await stage.company()]
    const seen = await contend(stage, { urls: [stage.url], companies, connections: 4, durationMs: 4000 })
    expect(seen.failures).toEqual([])
    expect(told()).toEqual([])
    expect(locks.seen.locks).toBeGreaterThan(before)
  })

  test('What no statement says is noticed, and what comes behind another.', async () => {
    const { company, ids } = await site()
    const hold = (table: string, id: number, strength = 'for no key update' as const) =>
      holdInOrder(company.id, table, [{ id, hold: strength }])
    const update = { text: 'update equipment set notes = $1 where id = $2', values: ['N', ids.equipment] }
    await stage.inTransaction(async ({ run }) => {
      for (const statement of [hold('equipment', ids.equipment), update, update]) await run(statement)
    })
    const { category, worker, project, subcontractor } = ids
    expect(told().toSorted()).toEqual(
      [`categories ${category}`, `projects ${project}`, `subcontractors ${subcontractor}`, `workers ${worker}`].map(
        (name) => `${update.text} locks ${name} for key share unnamed`,
      ),
    )
    await stage.inTransaction(async ({ run }) => {
      for (const statement of [hold('projects', project), hold('workers', worker)]) await run(statement)
    })
    expect(told()).toEqual([`workers.hold locks workers ${worker} for no key update behind projects ${project}`])
  })
})

type Data = { id: number; operations: { data: { id: number } }[] }
type Ids = Awaited<ReturnType<typeof fill>>
type Here = {
  company: Company
  ids: Ids
  write(method: string, path: string, body?: JsonObject): Promise<{ id: string; data: Data }>
  batch(...operations: JsonObject[]): Promise<{ id: string; data: Data }>
  back(writeId: string, least?: number): Promise<void>
}

const lines = [{ description: 'Wall', quantity: 2, unit_price_minor: 100 }]

async function fill({ create, record }: Company) {
  const trade = await record('trades', { name: 'Mason' })
  const categories = ['project', 'client', 'equipment'].map((kind) => record('categories', { name: kind, kind }))
  const [forProjects, forClients, forEquipment] = (await Promise.all(categories)) as [number, number, number]
  const boss = await create('workers', { name: 'Boss', trade_id: trade, external_ref: 'boss' })
  const worker = await create('workers', { name: 'Ada', trade_id: trade, supervisor_id: boss, external_ref: 'ada' })
  const client = await create('clients', { name: 'Client', category_id: forClients, external_ref: 'client' })
  const subcontractor = await create('subcontractors', { name: 'Sub', trade_id: trade })
  const project = await create('projects', {
    ...{ name: 'Project', status: 'BIDDING', external_ref: 'project' },
    ...{ client_id: client, category_id: forProjects, manager_id: worker },
  })
  const equipment = await create('equipment', {
    ...{ name: 'Crane', status: 'IN_USE', external_ref: 'crane' },
    ...{ category_id: forEquipment, supplier_id: subcontractor, project_id: project, worker_id: worker },
  })
  const estimate = await create('estimates', {
    ...{ title: 'Estimate', external_ref: 'estimate', lines },
    ...{ client_id: client, project_id: project },
  })
  const invoices = [1, 2].map(() => record('invoices', { client_id: client, estimate_id: estimate }))
  const [invoice, other] = (await Promise.all(invoices)) as [number, number]
  const log = await record('equipment_logs', { equipment_id: equipment, project_id: project, logged_on: '2026-03-02' })
  return {
    trade,
    category: forEquipment,
    boss,
    worker,
    client,
    subcontractor,
    project,
    equipment,
    estimate,
    invoice,
    other,
    log,
  }
}

const update = (records: string, named: JsonObject, body: JsonObject): JsonObject => ({
  ...{ op: 'update', records, body },
  ...named,
})

const cases: { title: string; run: (here: Here, stage: Stage) => Promise<unknown> }[] = [
  {
    title: 'A batch names a record by its id and by its reference; it is undone, and so is the undo.',
    run: async ({ ids, batch, back }) =>
      back(
        (
          await batch(
            update('projects', { id: ids.project }, { name: 'One' }),
            update('projects', { external_ref: 'project' }, { notes: 'Two' }),
            update('workers', { external_ref: 'ada' }, { notes: 'Three' }),
            update('workers', { id: ids.worker }, { name: 'Four' }),
            update('equipment', { id: ids.equipment }, { notes: 'Five' }),
            update('equipment', { id: ids.equipment }, { worker_id: ids.boss }),
          )
        ).id,
      ),
  },
  {
    title: 'A batch creates a record by its reference, and changes it by that; it is undone, and so is the undo.',
    run: async ({ ids, batch, back }) =>
      back(
        (
          await batch(
            { op: 'upsert', records: 'projects', external_ref: 'new', body: { name: 'N', client_id: ids.client } },
            { op: 'upsert', records: 'projects', external_ref: 'new', body: { name: 'M', manager_id: ids.worker } },
            update('projects', { external_ref: 'new' }, { notes: 'N' }),
            { op: 'upsert', records: 'projects', external_ref: 'project', body: { name: 'O' } },
            { op: 'upsert', records: 'projects', external_ref: 'project', body: { name: 'P' } },
          )
        ).id,
      ),
  },
  {
    title: 'A batch changes a record and deletes it; it is undone, and so is the undo.',
    run: async ({ ids, batch, back }) =>
      back(
        (
          await batch(
            update('workers', { id: ids.worker }, { name: 'N' }),
            update('equipment', { id: ids.equipment }, { name: 'N' }),
            { op: 'delete', records: 'workers', external_ref: 'ada' },
            { op: 'delete', records: 'equipment', id: ids.equipment },
          )
        ).id,
        1,
      ),
  },
  {
    title: 'A deletion empties two fields of a record; it is undone, and so is the undo.',
    run: async ({ ids, write, back }) => back((await write('DELETE', `/v1/projects/${ids.project}`)).id),
  },
  {
    title: 'A deletion that emptied two fields of a record is restored.',
    run: async ({ ids, write, company }, stage) => {
      await write('DELETE', `/v1/projects/${ids.project}`)
      const [{ id }] = (await stage.sql<{ id: number }>('select max(id) as id from removals')) as [{ id: number }]
      await stage.inTransaction((transaction) => restoreRemoval(transaction, operator(company.id), id))
    },
  },
  {
    title: 'A batch deletes two records to which a third refers; it is undone, and so is the undo.',
    run: async ({ ids, batch, back }) =>
      back(
        (
          await batch(
            { op: 'delete', records: 'projects', id: ids.project },
            { op: 'delete', records: 'workers', id: ids.worker },
            { op: 'delete', records: 'subcontractors', id: ids.subcontractor },
          )
        ).id,
      ),
  },
  {
    title: 'A batch changes a record to which a reference is emptied by a deletion of the batch.',
    run: async ({ ids, batch, back }) =>
      back(
        (
          await batch(
            update('equipment', { id: ids.equipment }, { notes: 'N' }),
            update('projects', { external_ref: 'project' }, { status: 'CANCELLED' }),
            { op: 'delete', records: 'workers', id: ids.worker },
            { op: 'delete', records: 'clients', external_ref: 'client' },
          )
        ).id,
        0,
      ),
  },
  {
    title: 'An erased record leaves references of live and of deleted records.',
    run: async ({ ids, write, company }, stage) => {
      await stage.sql(
        'update invoices set deleted_at = now() where company_id = $1 and id = $2',
        company.id,
        ids.invoice,
      )
      await write('DELETE', `/v1/estimates/${ids.estimate}`)
    },
  },
  {
    title: 'A batch changes a record so that a deletion of the batch takes it along, and what refers to it.',
    run: async ({ ids, write, batch, back }) => {
      await write('PATCH', `/v1/estimates/${ids.estimate}`, { status: 'SENT' })
      await write('PATCH', `/v1/estimates/${ids.estimate}`, { status: 'REJECTED' })
      await back(
        (
          await batch(
            update('estimates', { id: ids.estimate }, { status: 'DRAFT' }),
            update('workers', { id: ids.worker }, { supervisor_id: null }),
            { op: 'delete', records: 'projects', id: ids.project },
          )
        ).id,
        0,
      )
    },
  },
  {
    title: 'A batch lets a record refer to what it deletes then.',
    run: async ({ ids, write, batch, back }) => {
      await write('PATCH', `/v1/estimates/${ids.estimate}`, { project_id: null })
      const { id } = await batch(
        update('estimates', { id: ids.estimate }, { project_id: ids.project }),
        { op: 'delete', records: 'projects', id: ids.project },
        { op: 'create', records: 'projects', body: { name: 'Another', manager_id: ids.worker } },
      )
      await back(id, 0)
    },
  },
  {
    title: 'A batch gives a record the reference by which it changes and deletes it then.',
    run: async ({ ids, batch }) => {
      await batch(
        update('projects', { id: ids.project }, { external_ref: 'other' }),
        update('projects', { external_ref: 'other' }, { notes: 'N' }),
        { op: 'upsert', records: 'projects', external_ref: 'other', body: { name: 'N' } },
        update('workers', { id: ids.worker }, { external_ref: null }),
        update('workers', { id: ids.boss }, { external_ref: 'ada' }),
        { op: 'delete', records: 'workers', external_ref: 'ada' },
        { op: 'create', records: 'projects', body: { name: 'Another' } },
      )
      await batch(
        update('projects', { id: ids.project }, { external_ref: 'third' }),
        { op: 'delete', records: 'projects', external_ref: 'third' },
        { op: 'create', records: 'projects', body: { name: 'Another', manager_id: ids.worker } },
      )
    },
  },
  {
    title: 'A batch lets records refer to one that it creates and deletes.',
    run: async ({ ids, batch }) => {
      await batch(
        { op: 'create', records: 'clients', as: 'new', body: { name: 'New', external_ref: 'new' } },
        update('projects', { id: ids.project }, { client_id: { $ref: 'new' } }),
        update('projects', { id: ids.project }, { status: 'CANCELLED' }),
        { op: 'delete', records: 'clients', external_ref: 'new' },
      )
      await batch(
        {
          ...{ op: 'upsert', records: 'projects', as: 'new', external_ref: 'new' },
          body: { name: 'New', client_id: ids.client },
        },
        update('estimates', { id: ids.estimate }, { project_id: { $ref: 'new' } }),
        update('workers', { external_ref: 'boss' }, { notes: 'N' }),
        { op: 'delete', records: 'projects', external_ref: 'new' },
        { op: 'create', records: 'workers', body: { name: 'Another' } },
      )
    },
  },
  {
    title: 'An import names a record twice.',
    run: ({ ids, company }, stage) =>
      stage.inTransaction((transaction) =>
        runRecordsBatch(stage.app, transaction, operator(company.id), {
          definition: definitionOf(registry, 'projects') as (typeof registry)[number],
          ...{ dryRun: true, ifPlan: undefined },
          operations: [
            { op: 'update', id: ids.project, body: { name: 'N' } },
            { op: 'update', id: ids.project, body: { notes: 'N' } },
            { op: 'create', body: { name: 'New', manager_id: ids.worker } },
          ],
          call: { requestId: 'r', errorsPage: '/docs/errors' },
        }),
      ),
  },
  {
    title: 'Singles of one moment share a transaction, and others run by themselves.',
    run: async ({ ids, write }) => {
      const patch = (records: string, id: number) => write('PATCH', `/v1/${records}/${id}`, { notes: 'N' })
      await Promise.all([patch('workers', ids.worker), patch('workers', ids.boss), patch('projects', ids.project)])
      await Promise.all([1, 2, 3].map((n) => write('POST', '/v1/workers', { name: `W${n}`, supervisor_id: ids.boss })))
      await write('PUT', '/v1/projects/by/external_ref/project', { name: 'N', manager_id: ids.boss })
      await write('PUT', '/v1/projects/by/external_ref/another', { name: 'N', client_id: ids.client })
      await write('DELETE', `/v1/workers/${ids.boss}`)
      await write('DELETE', '/v1/workers/by/external_ref/ada')
    },
  },
]
