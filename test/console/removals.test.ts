import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permission, permissions } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/records/index.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

type Office = Person & { company: Company }
const line = { description: 'Wall', quantity: 2, unit_price_minor: 500 }

/** Everything the company has, but for what every write moves. */
async function everything(office: Office) {
  const all: { [kind: string]: object[] } = {}
  for (const { name } of registry) {
    const rows = await office.data(`/console/records/${name}?limit=100`)
    all[name] = rows.map(({ updated_at: _, ...record }: { updated_at: string }) => record)
  }
  return all
}

/** Deletes; the id of the removal. */
async function remove(office: Office, kind: string, id: number | undefined): Promise<number> {
  const answer = await office.ask('DELETE', `/console/records/${kind}/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return (await office.data('/console/removals'))[0].id
}

const restore = (person: Person, removal: number) => person.ask('POST', `/console/removals/${removal}/restore`)
const create = async (office: Office, kind: string, body: object): Promise<number> => {
  const answer = await office.ask('POST', `/console/records/${kind}`, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

describe('Deleted and restored, everything is as it was', () => {
  test.each(registry)('$name', async ({ name }) => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    if (name === 'clients') {
      // What a client protects, and what lets go of him.
      await office.ask('PATCH', `/console/records/projects/${ids.projects}`, { status: 'CANCELLED' })
      await create(office, 'estimates', { title: 'Expired', client_id: ids.clients, status: 'EXPIRED', lines: [line] })
    }
    if (name === 'workers') await create(office, 'workers', { name: 'Apprentice', supervisor_id: ids.workers })
    if (name === 'projects') {
      await create(office, 'estimates', {
        title: 'Rejected',
        client_id: ids.clients,
        project_id: ids.projects,
        status: 'REJECTED',
        lines: [line],
      })
      await create(office, 'equipment', { name: 'Idle saw', project_id: ids.projects, status: 'MAINTENANCE' })
    }
    if (name === 'estimates') {
      await office.ask('PATCH', `/console/records/estimates/${ids.estimates}`, { status: 'SENT' })
    }
    if (name === 'trades' || name === 'categories') {
      const free = await create(office, name, name === 'trades' ? { name: 'Free' } : { name: 'Free', kind: 'client' })
      ids[name] = free
    }
    const before = await everything(office)
    const removal = await remove(office, name, ids[name])
    expect(await everything(office)).not.toEqual(before)
    const answer = await restore(office, removal)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject({ id: removal, restored: true, records: name, record_id: ids[name] })
    expect(await everything(office)).toEqual(before)

    const [shown] = await office.data('/console/removals')
    expect(shown.restored_at).not.toBeNull()
    const again = await restore(office, removal)
    expect(again).toMatchObject({ status: 409, body: { code: 'cannot_restore' } })
  })
})

test('the list says what was deleted, by whom, what went along and what let go', async () => {
  const office = await stage.office()
  const ids = await oneOfEach(office.company)
  const removal = await remove(office, 'projects', ids.projects)
  const { body } = await office.get('/console/removals?limit=1')
  expect(body.meta).toEqual({ total: 1, limit: 1, offset: 0 })
  const [shown] = body.data
  expect(shown).toMatchObject({
    id: removal,
    who: { account_id: office.id, name: 'Femi' },
    door: 'web',
    records: 'projects',
    record_id: ids.projects,
    title: 'Project',
    mode: 'soft',
    restored_at: null,
  })
  expect(shown.went).toContainEqual({ records: 'tasks', count: 1, ids: [ids.tasks] })
  expect(shown.unlinked).toContainEqual({ records: 'equipment', count: 1, ids: [ids.equipment], by: 'project_id' })

  const { data } = (await restore(office, removal)).body
  expect(data.came_back[0]).toEqual({ records: 'projects', count: 1, ids: [ids.projects] })
  expect(data.linked).toContainEqual({ records: 'equipment', count: 1, ids: [ids.equipment] })
  const [line] = await office.data(`/console/records/projects/${ids.projects}/history`)
  expect(line).toMatchObject({ action: 'restored', door: 'web', who: { account_id: office.id } })
  const [settled] = await office.data(`/console/records/equipment/${ids.equipment}/history`)
  expect(settled.changes).toEqual({ status: ['ACTIVE', 'IN_USE'] })
})

describe('Refused, and nothing of it done', () => {
  test('a value that somebody has meanwhile', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    const removal = await remove(office, 'projects', ids.projects)
    await create(office, 'projects', { name: 'Other', code: 'p-1' })
    const before = await everything(office)
    const { status, body } = await restore(office, removal)
    expect(status).toBe(422)
    expect(body.errors).toEqual([
      {
        field: 'code',
        code: 'not_unique',
        message: 'is "P-1", which another project has meanwhile; change it there first',
      },
    ])
    expect(await everything(office)).toEqual(before)
  })

  test('a value of something that went along', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    const removal = await remove(office, 'projects', ids.projects)
    await create(office, 'invoices', { client_id: ids.clients, number: 'INV-000001' })
    const { status, body } = await restore(office, removal)
    expect(status).toBe(422)
    expect(body.errors).toMatchObject([{ field: `invoices[${ids.invoices}].number`, code: 'not_unique' }])
    expect((await office.get(`/console/records/projects/${ids.projects}`)).status).toBe(404)
  })

  test('a reference to what has been deleted meanwhile, until that is restored', async () => {
    const office = await stage.office()
    const client = await create(office, 'clients', { name: 'C' })
    const project = await create(office, 'projects', { name: 'P', client_id: client })
    const first = await remove(office, 'projects', project)
    const second = await remove(office, 'clients', client)
    const { status, body } = await restore(office, first)
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ field: 'client_id', code: 'not_found', message: expect.stringContaining('restore that first') }],
    })
    expect((await restore(office, second)).status).toBe(200)
    expect((await restore(office, first)).status).toBe(200)
    expect((await office.data(`/console/records/projects/${project}`)).client_id).toBe(client)
  })

  test('no place left in the plan', async () => {
    const office = await stage.office({ plan: 'STARTER' })
    const project = await create(office, 'projects', { name: 'P' })
    const removal = await remove(office, 'projects', project)
    const used = async () =>
      (
        await stage.sql<{ used: number }>(
          "select used from plan_usage where company_id = $1 and records = 'projects'",
          office.company.id,
        )
      )[0]?.used
    expect(await used()).toBe(0)
    await stage.sql("update plan_usage set used = 25 where company_id = $1 and records = 'projects'", office.company.id)
    expect(await restore(office, removal)).toMatchObject({ status: 402, body: { code: 'plan_limit_reached' } })
    expect((await office.get(`/console/records/projects/${project}`)).status).toBe(404)
    await stage.sql("update plan_usage set used = 24 where company_id = $1 and records = 'projects'", office.company.id)
    expect((await restore(office, removal)).status).toBe(200)
    expect(await used()).toBe(25)
  })

  test('an estimate that was erased', async () => {
    const office = await stage.office()
    const estimate = await create(office, 'estimates', { title: 'Draft' })
    const removal = await remove(office, 'estimates', estimate)
    const { status, body } = await restore(office, removal)
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'cannot_restore' })
    expect(body.detail).toContain('erased')
  })

  test('a rule that what it refers to breaks by now', async () => {
    const office = await stage.office()
    const [one, other] = [
      await create(office, 'clients', { name: 'A' }),
      await create(office, 'clients', { name: 'B' }),
    ]
    const project = await create(office, 'projects', { name: 'P', client_id: one })
    const estimate = await create(office, 'estimates', {
      title: 'E',
      client_id: one,
      project_id: project,
      status: 'SENT',
      lines: [line],
    })
    const removal = await remove(office, 'estimates', estimate)
    await office.ask('PATCH', `/console/records/projects/${project}`, { client_id: other })
    expect((await restore(office, removal)).body.errors).toMatchObject([{ field: 'project_id', code: 'not_of_client' }])
  })

  test('an id that is none', async () => {
    const office = await stage.office()
    for (const id of ['0', 'x', '999999999']) {
      expect((await office.ask('POST', `/console/removals/${id}/restore`)).status).toBe(404)
    }
  })
})

describe('What let go is linked again', () => {
  test('not where somebody gave it another', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    const removal = await remove(office, 'projects', ids.projects)
    const other = await create(office, 'projects', { name: 'Other' })
    await office.ask('PATCH', `/console/records/equipment/${ids.equipment}`, { project_id: other, status: 'IN_USE' })
    expect((await restore(office, removal)).status).toBe(200)
    expect((await office.data(`/console/records/equipment/${ids.equipment}`)).project_id).toBe(other)
  })

  test('not where it has been deleted itself', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    const removal = await remove(office, 'subcontractors', ids.subcontractors)
    await remove(office, 'equipment', ids.equipment)
    expect((await restore(office, removal)).status).toBe(200)
    expect((await office.get(`/console/records/equipment/${ids.equipment}`)).status).toBe(404)
  })

  test('not where it would close a circle', async () => {
    const office = await stage.office()
    const boss = await create(office, 'workers', { name: 'Boss' })
    const head = await create(office, 'workers', { name: 'Head', supervisor_id: boss })
    const hand = await create(office, 'workers', { name: 'Hand', supervisor_id: head })
    const removal = await remove(office, 'workers', head)
    await office.ask('PATCH', `/console/records/workers/${boss}`, { supervisor_id: hand })
    expect((await restore(office, removal)).status).toBe(200)
    const supervisors = await office.data('/console/records/workers?fields=supervisor_id')
    expect(supervisors).toEqual([
      { id: boss, supervisor_id: hand },
      { id: head, supervisor_id: boss },
      { id: hand, supervisor_id: null },
    ])
  })
})

describe('The right to restore', () => {
  test('is the right to edit everything that comes back', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    const removal = await remove(office, 'projects', ids.projects)
    const kinds = ['projects', 'tasks', 'time_entries', 'invoices', 'contracts', 'estimates']
    for (const kind of kinds) {
      const lacking = permission(kind, 'EDIT')
      const person = await stage.person(
        office.company,
        permissions.filter((code) => code !== lacking),
      )
      const answer = await restore(person, removal)
      expect(answer, kind).toMatchObject({ status: 403, body: { required_scope: lacking } })
    }
    const enough = await stage.person(
      office.company,
      kinds.map((kind) => permission(kind, 'EDIT')),
    )
    expect((await restore(enough, removal)).status).toBe(200)
  })

  test('shows only deletions of what one may view', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    await remove(office, 'tasks', ids.tasks)
    await remove(office, 'contacts', ids.contacts)
    const person = await stage.person(office.company, ['TASKS_VIEW'])
    const { body } = await person.get('/console/removals')
    expect(body).toMatchObject({ data: [{ records: 'tasks' }], meta: { total: 1 } })
  })
})

describe('The right to delete', () => {
  const along = ['tasks', 'time_entries', 'invoices', 'contracts', 'estimates']

  test('is asked for everything that goes along, in the preview as well', async () => {
    const office = await stage.office()
    const ids = await oneOfEach(office.company)
    const path = `/console/records/projects/${ids.projects}`
    for (const kind of along) {
      const lacking = permission(kind, 'DELETE')
      const person = await stage.person(
        office.company,
        permissions.filter((code) => code !== lacking),
      )
      for (const query of ['', '?dry_run=1']) {
        const answer = await person.ask('DELETE', path + query)
        expect(answer, kind).toMatchObject({ status: 403, body: { required_scope: lacking } })
      }
    }
    expect((await office.get(path)).status).toBe(200)
    const enough = await stage.person(
      office.company,
      ['projects', ...along].map((kind) => permission(kind, 'DELETE')),
    )
    const preview = await enough.ask('DELETE', `${path}?dry_run=1`)
    const kinds = preview.body.data.would_delete.map(({ records }: { records: string }) => records)
    expect(kinds.toSorted()).toEqual(along.toSorted())
    expect((await enough.ask('DELETE', path)).status).toBe(200)
  })

  test('is not asked for kinds of which nothing goes along', async () => {
    const office = await stage.office()
    const project = await create(office, 'projects', { name: 'P' })
    await create(office, 'equipment', { name: 'Saw', project_id: project })
    const person = await stage.person(office.company, ['PROJECTS_DELETE'])
    expect((await person.ask('DELETE', `/console/records/projects/${project}`)).status).toBe(200)
  })

  test('over /v1 is the scope of the specification and nothing more; the preview names what goes along', async () => {
    const office = await stage.office({ permissions: ['PROJECTS_DELETE'], scopes: ['PROJECTS_DELETE'] })
    const { company } = office
    const { projects } = await oneOfEach(company)
    const preview = await company.call('DELETE', `/v1/projects/${projects}?dry_run=1`)
    const kinds = preview.body.data.would_delete.map(({ records }: { records: string }) => records)
    expect(kinds.toSorted()).toEqual(along.toSorted())
    expect((await company.call('DELETE', `/v1/projects/${projects}`)).status).toBe(200)
  })
})

test('of ten restores at once one succeeds', async () => {
  const office = await stage.office()
  const ids = await oneOfEach(office.company)
  const removal = await remove(office, 'projects', ids.projects)
  const answers = await Promise.all(Array.from({ length: 10 }, () => restore(office, removal)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
})

test('a client restored while it is being deleted from under a project never leaves a live reference to a deleted one', async () => {
  for (let round = 0; round < 5; round++) {
    const office = await stage.office()
    const client = await create(office, 'clients', { name: 'C' })
    const project = await create(office, 'projects', { name: 'P', client_id: client, status: 'CANCELLED' })
    const removal = await remove(office, 'projects', project)
    await Promise.all([restore(office, removal), office.ask('DELETE', `/console/records/clients/${client}`)])
    const orphans = await stage.sql(
      `select p.id from projects p join clients c on c.company_id = p.company_id and c.id = p.client_id
       where p.company_id = $1 and p.deleted_at is null and c.deleted_at is not null`,
      office.company.id,
    )
    expect(orphans).toEqual([])
  }
})

test('every kind that can go along has a definition', () => {
  for (const { removal } of registry)
    for (const { records } of removal.relations) expect(definitionOf(registry, records)).toBeDefined()
})
