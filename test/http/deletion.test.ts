import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import { operator } from '#server/records/actor.ts'
import { createRemoval } from '#server/records/remove.ts'
import { runCommand } from '#server/records/write-record.ts'
import { billed, type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(async () => {
  await rowCountsAreTrue()
  await stage.close()
})

/** After all that was created and deleted here, every total that is kept is what counting gives. */
async function rowCountsAreTrue(): Promise<void> {
  for (const { name } of registry) {
    const wrong = await stage.sql(
      `select c.id, (select count(*) from ${name} r where r.company_id = c.id and r.deleted_at is null) as counted,
        coalesce((select total from tallies t where t.company_id = c.id and records = $1), 0)
        + coalesce((select sum(change) from tally_changes t where t.company_id = c.id and records = $1), 0) as kept
      from companies c`,
      name,
    )
    for (const { counted, kept } of wrong) expect(Number(kept), name).toBe(Number(counted))
  }
}

type CreatedReferrers = { [name: string]: number }
const line = { description: 'Work', unit_price_minor: 100 }

/** A project with everything that can refer to it; `more` adds to what is made or changes it. */
async function createProjectWithReferrers(own: Company): Promise<CreatedReferrers> {
  const client = await own.create('clients', { name: 'Client' })
  const worker = await own.create('workers', { name: 'Worker' })
  const project = await own.create('projects', { name: 'Project', client_id: client, manager_id: worker })
  const subcontractor = await own.create('subcontractors', { name: 'Sub' })
  const equipment = await own.create('equipment', { name: 'Crane', supplier_id: subcontractor, worker_id: worker })
  return { client, worker, project, subcontractor, equipment }
}

describe('Delete refuses a record that protected history refers to, with what it is and what to do instead', () => {
  const rows: {
    why: string
    history: (own: Company, made: CreatedReferrers) => Promise<number>
    target: [string, string]
    by: string
  }[] = [
    {
      why: 'a project with an issued invoice',
      target: ['projects', 'project'],
      by: 'invoices',
      history: (own, m) =>
        own.record('invoices', { client_id: m.client!, project_id: m.project!, status: 'ISSUED', ...billed }),
    },
    {
      why: 'a project with a void invoice',
      target: ['projects', 'project'],
      by: 'invoices',
      history: (own, m) =>
        own.record('invoices', { client_id: m.client!, project_id: m.project!, status: 'VOID', ...billed }),
    },
    {
      why: 'a project with approved hours',
      target: ['projects', 'project'],
      by: 'time_entries',
      history: (own, m) =>
        own.record('time_entries', {
          worker_id: m.worker!,
          project_id: m.project!,
          worked_on: '2026-01-05',
          hours: 8,
          status: 'APPROVED',
        }),
    },
    {
      why: 'a project with a signed contract',
      target: ['projects', 'project'],
      by: 'contracts',
      history: (own, m) =>
        own.record('contracts', {
          subcontractor_id: m.subcontractor!,
          project_id: m.project!,
          title: 'C',
          status: 'SIGNED',
        }),
    },
    {
      why: 'a project with a closed contract',
      target: ['projects', 'project'],
      by: 'contracts',
      history: (own, m) =>
        own.record('contracts', {
          subcontractor_id: m.subcontractor!,
          project_id: m.project!,
          title: 'C',
          status: 'CLOSED',
        }),
    },
    {
      why: 'a project with an accepted estimate',
      target: ['projects', 'project'],
      by: 'estimates',
      history: (own, m) =>
        own.create('estimates', {
          title: 'E',
          client_id: m.client,
          project_id: m.project,
          status: 'ACCEPTED',
          lines: [line],
        }),
    },
    {
      why: 'a project with a billed equipment log',
      target: ['projects', 'project'],
      by: 'equipment_logs',
      history: (own, m) =>
        own.record('equipment_logs', {
          equipment_id: m.equipment!,
          project_id: m.project!,
          logged_on: '2026-01-05',
          billed: true,
        }),
    },
    {
      why: 'a worker with approved hours',
      target: ['workers', 'worker'],
      by: 'time_entries',
      history: (own, m) =>
        own.record('time_entries', {
          worker_id: m.worker!,
          project_id: m.project!,
          worked_on: '2026-01-05',
          hours: 8,
          status: 'APPROVED',
        }),
    },
    {
      why: 'a client with an active project',
      target: ['clients', 'client'],
      by: 'projects',
      history: async (_own, m) => m.project!,
    },
    {
      why: 'a client with a paid invoice',
      target: ['clients', 'lonely'],
      by: 'invoices',
      history: async (own, m) => {
        m.lonely = await own.create('clients', { name: 'L' })
        const invoice_id = await own.record('invoices', { client_id: m.lonely, status: 'ISSUED', ...billed })
        await own.record('payments', { invoice_id, paid_on: '2026-03-01', amount_minor: 1_000_000 })
        return invoice_id
      },
    },
    {
      why: 'a client with an accepted estimate',
      target: ['clients', 'lonely'],
      by: 'estimates',
      history: async (own, m) => {
        m.lonely = await own.create('clients', { name: 'L' })
        return own.create('estimates', { title: 'E', client_id: m.lonely, status: 'ACCEPTED', lines: [line] })
      },
    },
    {
      why: 'an accepted estimate',
      target: ['estimates', 'own'],
      by: 'estimates',
      history: async (own, m) => {
        m.own = await own.create('estimates', { title: 'E', client_id: m.client, status: 'ACCEPTED', lines: [line] })
        return m.own
      },
    },
    {
      why: 'an estimate with an issued invoice',
      target: ['estimates', 'own'],
      by: 'invoices',
      history: async (own, m) => {
        m.own = await own.create('estimates', { title: 'E' })
        return own.record('invoices', { client_id: m.client!, estimate_id: m.own, status: 'ISSUED', ...billed })
      },
    },
    {
      why: 'a subcontractor with a signed contract',
      target: ['subcontractors', 'subcontractor'],
      by: 'contracts',
      history: (own, m) =>
        own.record('contracts', { subcontractor_id: m.subcontractor!, title: 'C', status: 'SIGNED' }),
    },
    {
      why: 'equipment with a billed log',
      target: ['equipment', 'equipment'],
      by: 'equipment_logs',
      history: (own, m) =>
        own.record('equipment_logs', { equipment_id: m.equipment!, logged_on: '2026-01-05', billed: true }),
    },
    {
      why: 'a project whose draft estimate has an issued invoice elsewhere',
      target: ['projects', 'project'],
      by: 'invoices',
      history: async (own, m) => {
        const estimate = await own.create('estimates', { title: 'E', project_id: m.project, client_id: m.client })
        return own.record('invoices', { client_id: m.client!, estimate_id: estimate, status: 'ISSUED', ...billed })
      },
    },
  ]
  test.each(rows)('$why', async ({ history, target: [resource, name], by }) => {
    const own = await stage.company()
    const made = await createProjectWithReferrers(own)
    const blocking = await history(own, made)
    const path = `/v1/${resource}/${made[name]}`
    for (const suffix of ['?dry_run=1', '']) {
      const { status, body } = await own.call('DELETE', `${path}${suffix}`)
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'delete_blocked' })
      expect(body.blocked_by).toEqual([{ records: by, count: 1, ids: [blocking] }])
      expect(body.detail).toMatch(/Instead, .+\.$/)
    }
    expect((await own.get(path)).status).toBe(200)
  })
})

describe('What goes with a record and what stays', () => {
  test('project', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    const task = await own.record('tasks', { project_id: m.project!, title: 'T' })
    const hours = await own.record('time_entries', {
      worker_id: m.worker!,
      project_id: m.project!,
      worked_on: '2026-01-05',
      hours: 1,
    })
    const invoice = await own.record('invoices', { client_id: m.client!, project_id: m.project! })
    const contract = await own.record('contracts', {
      subcontractor_id: m.subcontractor!,
      project_id: m.project!,
      title: 'C',
    })
    const draft = await own.create('estimates', { title: 'Draft', project_id: m.project, client_id: m.client })
    const rejected = await own.create('estimates', {
      title: 'No',
      project_id: m.project,
      client_id: m.client,
      status: 'REJECTED',
      lines: [line],
    })
    const log = await own.record('equipment_logs', {
      equipment_id: m.equipment!,
      project_id: m.project!,
      logged_on: '2026-01-05',
    })
    const used = await own.create('equipment', { name: 'Saw', project_id: m.project, status: 'IN_USE' })
    const { body } = await own.call('DELETE', `/v1/projects/${m.project}`)
    const one = (records: string, id: number) => ({ records, count: 1, ids: [id] })
    expect(body.data.mode).toBe('soft')
    expect(new Set(body.data.deleted_with)).toEqual(
      new Set([
        one('tasks', task),
        one('time_entries', hours),
        one('invoices', invoice),
        one('contracts', contract),
        one('estimates', draft),
      ]),
    )
    const unlinked = (records: string, id: number) => ({ ...one(records, id), effect: 'unlinked' })
    expect(new Set(body.data.kept)).toEqual(
      new Set([unlinked('estimates', rejected), unlinked('equipment', used), unlinked('equipment_logs', log)]),
    )
    expect((await own.get(`/v1/projects/${m.project}`)).status).toBe(404)
    expect((await own.get(`/v1/estimates/${draft}`)).status).toBe(404)
    expect((await own.get(`/v1/estimates/${rejected}`)).body.data.project_id).toBeNull()
    // A machine without a project is not in use.
    expect((await own.get(`/v1/equipment/${used}`)).body.data).toMatchObject({ project_id: null, status: 'ACTIVE' })
    const shared = await stage.sql(
      `select removal_id from tasks where company_id = $3 and id = $1
        union select removal_id from projects where company_id = $3 and id = $2`,
      task,
      m.project,
      own.id,
    )
    expect(shared).toHaveLength(1)
  })

  test('client', async () => {
    const own = await stage.company()
    const client = await own.create('clients', { name: 'C' })
    const contact = await own.record('contacts', { client_id: client, name: 'Ines' })
    const invoice = await own.record('invoices', { client_id: client })
    const draft = await own.create('estimates', { title: 'D', client_id: client })
    const expired = await own.create('estimates', { title: 'X', client_id: client, status: 'EXPIRED', lines: [line] })
    const project = await own.create('projects', { name: 'P', client_id: client, status: 'ARCHIVED' })
    const { body } = await own.call('DELETE', `/v1/clients/${client}`)
    const along = Object.fromEntries(
      body.data.deleted_with.map((entry: { records: string; ids: number[] }) => [entry.records, entry.ids]),
    )
    expect(along).toEqual({ contacts: [contact], invoices: [invoice], estimates: [draft] })
    const kept = Object.fromEntries(
      body.data.kept.map((entry: { records: string; ids: number[] }) => [entry.records, entry.ids]),
    )
    expect(kept).toEqual({ estimates: [expired], projects: [project] })
    expect((await own.get(`/v1/projects/${project}`)).body.data.client_id).toBeNull()
  })

  test('worker', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    const apprentice = await own.create('workers', { name: 'A', supervisor_id: m.worker })
    await own.record('time_entries', {
      worker_id: m.worker!,
      project_id: m.project!,
      worked_on: '2026-01-05',
      hours: 1,
    })
    const { body } = await own.call('DELETE', `/v1/workers/${m.worker}`)
    expect(body.data.deleted_with).toMatchObject([{ records: 'time_entries', count: 1 }])
    expect(
      body.data.kept
        .map(({ records, effect }: { records: string; effect: string }) => `${records} ${effect}`)
        .toSorted(),
    ).toEqual(['equipment unlinked', 'projects unlinked', 'workers unlinked'])
    expect((await own.get(`/v1/workers/${apprentice}`)).body.data.supervisor_id).toBeNull()
    expect((await own.get(`/v1/projects/${m.project}`)).body.data.manager_id).toBeNull()
  })

  test('subcontractor and equipment', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    await own.record('contracts', { subcontractor_id: m.subcontractor!, title: 'C' })
    const usage = await own.record('equipment_logs', { equipment_id: m.equipment!, logged_on: '2026-01-05' })
    const service = await own.record('equipment_logs', {
      equipment_id: m.equipment!,
      logged_on: '2026-01-05',
      type: 'SERVICE',
    })
    const sub = await own.call('DELETE', `/v1/subcontractors/${m.subcontractor}`)
    expect(sub.body.data).toMatchObject({
      deleted_with: [{ records: 'contracts' }],
      kept: [{ records: 'equipment', effect: 'unlinked' }],
    })
    const crane = await own.call('DELETE', `/v1/equipment/${m.equipment}`)
    expect(crane.body.data).toMatchObject({
      deleted_with: [{ records: 'equipment_logs', ids: [usage] }],
      kept: [{ records: 'equipment_logs', ids: [service], effect: 'kept' }],
    })
  })

  test('a DRAFT estimate is erased, and its draft invoices let go of it', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    const estimate = await own.create('estimates', { title: 'E' })
    const invoice = await own.record('invoices', { client_id: m.client!, estimate_id: estimate })
    const { body } = await own.call('DELETE', `/v1/estimates/${estimate}`)
    expect(body.data).toMatchObject({
      mode: 'hard',
      deleted_with: [],
      kept: [{ records: 'invoices', ids: [invoice], effect: 'unlinked' }],
    })
    expect(await stage.sql('select 1 from estimates where company_id = $1 and id = $2', own.id, estimate)).toEqual([])
    const [last] = await stage.sql<{ held: { title: string } }>(
      "select held from history where company_id = $1 and records = 'estimates' and record_id = $2 and action = 'erased'",
      own.id,
      estimate,
    )
    expect(last?.held.title).toBe('E')
  })

  test('a SENT estimate is kept out of sight', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    const estimate = await own.create('estimates', { title: 'E', client_id: m.client, status: 'SENT', lines: [line] })
    expect((await own.call('DELETE', `/v1/estimates/${estimate}`)).body.data.mode).toBe('soft')
    expect(await stage.sql('select 1 from estimates where company_id = $1 and id = $2', own.id, estimate)).toHaveLength(
      1,
    )
  })

  test('at most 20 ids are listed; the count is complete', async () => {
    const own = await stage.company()
    const client = await own.create('clients', { name: 'C' })
    for (let count = 0; count < 25; count++) await own.record('contacts', { client_id: client, name: `N${count}` })
    const { body } = await own.call('DELETE', `/v1/clients/${client}?dry_run=1`)
    expect(body.data.would_delete[0].count).toBe(25)
    expect(body.data.would_delete[0].ids).toHaveLength(20)
  })
})

describe('After a deletion', () => {
  test('fetch, update and a second delete find nothing, and all say it in the same words', async () => {
    const id = await company.create('clients', { name: 'Gone' })
    await company.call('DELETE', `/v1/clients/${id}`)
    const answers = [
      await company.get(`/v1/clients/${id}`),
      await company.call('DELETE', `/v1/clients/${id}`),
      await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'X' } }),
      await company.get('/v1/clients/999999999'),
      ...(await Promise.all(
        ['abc', '0', '-1', '01', '1.0', '1e3', '9007199254740993', '%2F1', '99999999999999999999'].map((odd) =>
          company.get(`/v1/clients/${odd}`),
        ),
      )),
    ]
    for (const { status, body } of answers)
      expect({ status, ...body, request_id: '' }).toEqual({ ...answers[0]?.body, status: 404, request_id: '' })
  })

  test('nothing refers to it any more', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'Gone' })
    await own.call('DELETE', `/v1/clients/${id}`)
    const { body } = await own.call('POST', '/v1/projects', { body: { name: 'P', client_id: id } })
    expect(body.errors).toMatchObject([{ field: 'client_id', code: 'not_found' }])
    expect((await own.get(`/v1/projects?client_id=${id}`)).body.meta.total).toBe(0)
  })
})

describe('At the same time', () => {
  test('of twenty concurrent deletes one succeeds', async () => {
    const id = await company.create('clients', { name: 'Wanted' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => company.call('DELETE', `/v1/clients/${id}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
  })

  test('a client deleted while fifty projects are created for it never leaves a live project of a deleted client', async () => {
    for (let round = 0; round < 5; round++) {
      const own = await stage.company()
      const client = await own.create('clients', { name: 'Contested' })
      const creates = Array.from({ length: 50 }, (_, index) =>
        own.call('POST', '/v1/projects', { body: { name: `P${index}`, client_id: client, status: 'CANCELLED' } }),
      )
      const removal = own.call('DELETE', `/v1/clients/${client}`)
      const answers = await Promise.all([...creates, removal])
      for (const { status } of answers) expect([200, 201, 409, 422]).toContain(status)
      const orphans = await stage.sql(
        'select p.id from projects p join clients c on c.company_id = p.company_id and c.id = p.client_id where p.company_id = $1 and p.deleted_at is null and c.deleted_at is not null',
        own.id,
      )
      expect(orphans).toEqual([])
    }
  })

  test('history that appears between preview and delete blocks it', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    const hours = await own.record('time_entries', {
      worker_id: m.worker!,
      project_id: m.project!,
      worked_on: '2026-01-05',
      hours: 1,
    })
    expect((await own.call('DELETE', `/v1/workers/${m.worker}?dry_run=1`)).status).toBe(200)
    let removal: Promise<{ status: number }> | undefined
    await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: "update time_entries set status = 'APPROVED' where id = $1", values: [hours] })
      removal = own.call('DELETE', `/v1/workers/${m.worker}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    expect(await removal).toMatchObject({ status: 409, body: { code: 'delete_blocked' } })
  })

  test('an invoice that comes to an estimate while the delete waits for that estimate protects the project', async () => {
    const own = await stage.company()
    const m = await createProjectWithReferrers(own)
    const estimate = await own.create('estimates', { title: 'E', project_id: m.project, client_id: m.client })
    const invoice = await own.record('invoices', { client_id: m.client!, ...billed })
    let removal: Promise<{ status: number }> | undefined
    await stage.inTransaction(async (transaction) => {
      await transaction.run({
        text: 'select from estimates where company_id = $1 and id = $2 for key share',
        values: [own.id, estimate],
      })
      await transaction.run({
        text: "update invoices set estimate_id = $1, status = 'ISSUED' where company_id = $2 and id = $3",
        values: [estimate, own.id, invoice],
      })
      removal = own.call('DELETE', `/v1/projects/${m.project}`)
      await eventually(async () => expect(await stage.waiting()).toBe(1))
    })
    expect(await removal).toMatchObject({
      status: 409,
      body: { blocked_by: [{ records: 'invoices', count: 1, ids: [invoice] }] },
    })
  })
})

describe('What refers to a record is looked up with one statement for each level of what goes along', () => {
  const rows: {
    what: string
    made: (own: Company, m: CreatedReferrers) => Promise<[string, number]>
    statements: string[]
  }[] = [
    {
      what: 'a contact, to which nothing refers',
      made: async (own, m) => ['contacts', await own.record('contacts', { name: 'C', client_id: m.client! })],
      statements: [],
    },
    {
      what: 'a project with a task and equipment',
      made: async (own, m) => {
        await own.record('tasks', { title: 'T', project_id: m.project! })
        await own.call('PATCH', `/v1/equipment/${m.equipment}`, { body: { project_id: m.project } })
        return ['projects', m.project!]
      },
      statements: ['estimates-equipment_logs.related.projects'],
    },
    {
      what: 'a client whose draft estimate goes along',
      made: async (own) => {
        const client = await own.create('clients', { name: 'Without a project' })
        await own.create('estimates', { title: 'E', client_id: client })
        return ['clients', client]
      },
      statements: ['projects-invoices.related.clients', 'invoices-invoices.related-any.clients.estimates'],
    },
  ]
  test.each(rows)('$what', async ({ made, statements }) => {
    const own = await stage.company()
    const [records, id] = await made(own, await createProjectWithReferrers(own))
    const definition = registry.find(({ name }) => name === records)!
    const asked: string[] = []
    await stage.inTransaction(async (transaction) => {
      const run: typeof transaction.run = (statement) => {
        if (statement.name?.includes('related')) asked.push(statement.name)
        return transaction.run(statement)
      }
      const work = createRemoval(own.id, definition, { id, expected: undefined })
      await runCommand({ ...transaction, run }, operator(own.id), work)
    })
    expect(asked).toEqual(statements)
  })
})
