import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permission, permissions } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

type Admin = Person & { company: Company }
const line = { description: 'Wall', quantity: 2, unit_price_minor: 500 }

/** Everything the company has, but for what every write moves. */
async function everything(admin: Admin) {
  const all: { [kind: string]: object[] } = {}
  for (const { name } of registry) {
    const rows = await admin.data(`/console/records/${name}?limit=100`)
    all[name] = rows.map(({ updated_at: _, ...record }: { updated_at: string }) => record)
  }
  return all
}

/** Deletes; the id of the removal. */
async function remove(admin: Admin, kind: string, id: number | undefined): Promise<number> {
  const answer = await admin.ask('DELETE', `/console/records/${kind}/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return (await admin.data('/console/removals'))[0].id
}

const restore = (person: Person, removal: number) => person.ask('POST', `/console/removals/${removal}/restore`)
const create = async (admin: Admin, kind: string, body: object): Promise<number> => {
  const answer = await admin.ask('POST', `/console/records/${kind}`, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

describe('Deleted and restored, everything is as it was', () => {
  // What is set VOID instead is never deleted.
  test.each(registry.filter(({ removal }) => !removal.undone))('$name', async ({ name }) => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    if (name === 'clients') {
      // What a client protects, and what lets go of him.
      await admin.ask('PATCH', `/console/records/projects/${ids.projects}`, { status: 'CANCELLED' })
      await create(admin, 'estimates', { title: 'Expired', client_id: ids.clients, status: 'EXPIRED', lines: [line] })
    }
    if (name === 'workers') await create(admin, 'workers', { name: 'Apprentice', supervisor_id: ids.workers })
    if (name === 'projects') {
      await create(admin, 'estimates', {
        title: 'Rejected',
        client_id: ids.clients,
        project_id: ids.projects,
        status: 'REJECTED',
        lines: [line],
      })
      await create(admin, 'equipment', { name: 'Idle saw', project_id: ids.projects, status: 'MAINTENANCE' })
    }
    if (name === 'estimates') {
      await admin.ask('PATCH', `/console/records/estimates/${ids.estimates}`, { status: 'SENT' })
    }
    if (name === 'trades' || name === 'categories') {
      const free = await create(admin, name, name === 'trades' ? { name: 'Free' } : { name: 'Free', kind: 'client' })
      ids[name] = free
    }
    const before = await everything(admin)
    const removal = await remove(admin, name, ids[name])
    expect(await everything(admin)).not.toEqual(before)
    const answer = await restore(admin, removal)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject({ id: removal, restored: true, records: name, record_id: ids[name] })
    expect(await everything(admin)).toEqual(before)

    const [shown] = await admin.data('/console/removals')
    expect(shown.restored_at).not.toBeNull()
    const again = await restore(admin, removal)
    expect(again).toMatchObject({ status: 409, body: { code: 'cannot_restore' } })
  })
})

test('the list says what was deleted, by whom, what went along and what let go', async () => {
  const admin = await stage.admin()
  const ids = await oneOfEach(admin.company)
  const removal = await remove(admin, 'projects', ids.projects)
  const { body } = await admin.get('/console/removals?limit=1')
  expect(body.meta).toEqual({ total: 1, limit: 1, offset: 0 })
  const [shown] = body.data
  expect(shown).toMatchObject({
    id: removal,
    who: { account_id: admin.id, name: 'Femi' },
    door: 'web',
    records: 'projects',
    record_id: ids.projects,
    title: 'Project',
    mode: 'soft',
    restored_at: null,
  })
  expect(shown.went).toContainEqual({ records: 'tasks', count: 1, ids: [ids.tasks] })
  expect(shown.unlinked).toContainEqual({ records: 'equipment', count: 1, ids: [ids.equipment], by: 'project_id' })

  const { data } = (await restore(admin, removal)).body
  expect(data.came_back[0]).toEqual({ records: 'projects', count: 1, ids: [ids.projects] })
  expect(data.linked).toContainEqual({ records: 'equipment', count: 1, ids: [ids.equipment] })
  const [line] = await admin.data(`/console/records/projects/${ids.projects}/history`)
  expect(line).toMatchObject({ action: 'restored', door: 'web', who: { account_id: admin.id } })
  const [settled] = await admin.data(`/console/records/equipment/${ids.equipment}/history`)
  expect(settled.changes).toEqual({ status: ['ACTIVE', 'IN_USE'] })
})

describe('Refused, and nothing of it done', () => {
  test('a value that somebody has meanwhile', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    const removal = await remove(admin, 'projects', ids.projects)
    await create(admin, 'projects', { name: 'Other', code: 'p-1' })
    const before = await everything(admin)
    const { status, body } = await restore(admin, removal)
    expect(status).toBe(422)
    expect(body.errors).toEqual([
      {
        field: 'code',
        code: 'not_unique',
        message: 'is "P-1", which another project has meanwhile; change it there first',
      },
    ])
    expect(await everything(admin)).toEqual(before)
  })

  test('a value of something that went along', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    const removal = await remove(admin, 'projects', ids.projects)
    await create(admin, 'invoices', { client_id: ids.clients, number: 'INV-000001' })
    const { status, body } = await restore(admin, removal)
    expect(status).toBe(422)
    expect(body.errors).toMatchObject([{ field: `invoices[${ids.invoices}].number`, code: 'not_unique' }])
    expect((await admin.get(`/console/records/projects/${ids.projects}`)).status).toBe(404)
  })

  test('a reference to what has been deleted meanwhile, until that is restored', async () => {
    const admin = await stage.admin()
    const client = await create(admin, 'clients', { name: 'C' })
    const project = await create(admin, 'projects', { name: 'P', client_id: client })
    const first = await remove(admin, 'projects', project)
    const second = await remove(admin, 'clients', client)
    const { status, body } = await restore(admin, first)
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ field: 'client_id', code: 'not_found', message: expect.stringContaining('restore that first') }],
    })
    expect((await restore(admin, second)).status).toBe(200)
    expect((await restore(admin, first)).status).toBe(200)
    expect((await admin.data(`/console/records/projects/${project}`)).client_id).toBe(client)
  })

  test('no place left in the plan', async () => {
    const admin = await stage.admin({ plan: 'STARTER' })
    const project = await create(admin, 'projects', { name: 'P' })
    const removal = await remove(admin, 'projects', project)
    const used = async () =>
      (
        await stage.sql<{ used: number }>(
          "select used from plan_usage where company_id = $1 and records = 'projects'",
          admin.company.id,
        )
      )[0]?.used
    expect(await used()).toBe(0)
    await stage.sql("update plan_usage set used = 25 where company_id = $1 and records = 'projects'", admin.company.id)
    expect(await restore(admin, removal)).toMatchObject({ status: 402, body: { code: 'plan_limit_reached' } })
    expect((await admin.get(`/console/records/projects/${project}`)).status).toBe(404)
    await stage.sql("update plan_usage set used = 24 where company_id = $1 and records = 'projects'", admin.company.id)
    expect((await restore(admin, removal)).status).toBe(200)
    expect(await used()).toBe(25)
  })

  test('an estimate that was erased', async () => {
    const admin = await stage.admin()
    const estimate = await create(admin, 'estimates', { title: 'Draft' })
    const removal = await remove(admin, 'estimates', estimate)
    const { status, body } = await restore(admin, removal)
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'cannot_restore' })
    expect(body.detail).toContain('erased')
  })

  test('a rule that what it refers to breaks by now', async () => {
    const admin = await stage.admin()
    const [one, other] = [await create(admin, 'clients', { name: 'A' }), await create(admin, 'clients', { name: 'B' })]
    const project = await create(admin, 'projects', { name: 'P', client_id: one })
    const estimate = await create(admin, 'estimates', {
      title: 'E',
      client_id: one,
      project_id: project,
      status: 'SENT',
      lines: [line],
    })
    const removal = await remove(admin, 'estimates', estimate)
    await admin.ask('PATCH', `/console/records/projects/${project}`, { client_id: other })
    expect((await restore(admin, removal)).body.errors).toMatchObject([{ field: 'project_id', code: 'not_of_client' }])
  })

  test('an id that is none', async () => {
    const admin = await stage.admin()
    for (const id of ['0', 'x', '999999999']) {
      expect((await admin.ask('POST', `/console/removals/${id}/restore`)).status).toBe(404)
    }
  })
})

describe('What let go is linked again', () => {
  test('not where somebody gave it another', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    const removal = await remove(admin, 'projects', ids.projects)
    const other = await create(admin, 'projects', { name: 'Other' })
    await admin.ask('PATCH', `/console/records/equipment/${ids.equipment}`, { project_id: other, status: 'IN_USE' })
    expect((await restore(admin, removal)).status).toBe(200)
    expect((await admin.data(`/console/records/equipment/${ids.equipment}`)).project_id).toBe(other)
  })

  test('not where it has been deleted itself', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    const removal = await remove(admin, 'subcontractors', ids.subcontractors)
    await remove(admin, 'equipment', ids.equipment)
    expect((await restore(admin, removal)).status).toBe(200)
    expect((await admin.get(`/console/records/equipment/${ids.equipment}`)).status).toBe(404)
  })

  test('not where it would close a circle', async () => {
    const admin = await stage.admin()
    const boss = await create(admin, 'workers', { name: 'Boss' })
    const head = await create(admin, 'workers', { name: 'Head', supervisor_id: boss })
    const hand = await create(admin, 'workers', { name: 'Hand', supervisor_id: head })
    const removal = await remove(admin, 'workers', head)
    await admin.ask('PATCH', `/console/records/workers/${boss}`, { supervisor_id: hand })
    expect((await restore(admin, removal)).status).toBe(200)
    const supervisors = await admin.data('/console/records/workers?fields=supervisor_id')
    expect(supervisors).toEqual([
      { id: boss, supervisor_id: hand },
      { id: head, supervisor_id: boss },
      { id: hand, supervisor_id: null },
    ])
  })
})

describe('The right to restore', () => {
  test('is the right to edit everything that comes back', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    const removal = await remove(admin, 'projects', ids.projects)
    const resources = ['projects', 'tasks', 'time_entries', 'invoices', 'contracts', 'estimates']
    for (const kind of resources) {
      const lacking = permission(kind, 'EDIT')
      const person = await stage.person(
        admin.company,
        permissions.filter((code) => code !== lacking),
      )
      const answer = await restore(person, removal)
      expect(answer, kind).toMatchObject({ status: 403, body: { required_scope: lacking } })
    }
    const enough = await stage.person(
      admin.company,
      resources.map((kind) => permission(kind, 'EDIT')),
    )
    expect((await restore(enough, removal)).status).toBe(200)
  })

  test('shows only deletions of what one may view', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    await remove(admin, 'tasks', ids.tasks)
    await remove(admin, 'contacts', ids.contacts)
    const person = await stage.person(admin.company, ['TASKS_VIEW'])
    const { body } = await person.get('/console/removals')
    expect(body).toMatchObject({ data: [{ records: 'tasks' }], meta: { total: 1 } })
  })
})

describe('The right to delete', () => {
  const along = ['tasks', 'time_entries', 'invoices', 'contracts', 'estimates']

  test('is asked for everything that goes along, in the preview as well', async () => {
    const admin = await stage.admin()
    const ids = await oneOfEach(admin.company)
    const path = `/console/records/projects/${ids.projects}`
    for (const kind of along) {
      const lacking = permission(kind, 'DELETE')
      const person = await stage.person(
        admin.company,
        permissions.filter((code) => code !== lacking),
      )
      for (const query of ['', '?dry_run=1']) {
        const answer = await person.ask('DELETE', path + query)
        expect(answer, kind).toMatchObject({ status: 403, body: { required_scope: lacking } })
      }
    }
    expect((await admin.get(path)).status).toBe(200)
    const enough = await stage.person(
      admin.company,
      ['projects', ...along].map((kind) => permission(kind, 'DELETE')),
    )
    const preview = await enough.ask('DELETE', `${path}?dry_run=1`)
    const resources = preview.body.data.would_delete.map(({ records }: { records: string }) => records)
    expect(resources.toSorted()).toEqual(along.toSorted())
    expect((await enough.ask('DELETE', path)).status).toBe(200)
  })

  test('is not asked for kinds of which nothing goes along', async () => {
    const admin = await stage.admin()
    const project = await create(admin, 'projects', { name: 'P' })
    await create(admin, 'equipment', { name: 'Saw', project_id: project })
    const person = await stage.person(admin.company, ['PROJECTS_DELETE'])
    expect((await person.ask('DELETE', `/console/records/projects/${project}`)).status).toBe(200)
  })

  test('over /v1 is the scope of the specification and nothing more; the preview names what goes along', async () => {
    const admin = await stage.admin({ permissions: ['PROJECTS_DELETE'], scopes: ['PROJECTS_DELETE'] })
    const { company } = admin
    const { projects } = await oneOfEach(company)
    const preview = await company.call('DELETE', `/v1/projects/${projects}?dry_run=1`)
    const resources = preview.body.data.would_delete.map(({ records }: { records: string }) => records)
    expect(resources.toSorted()).toEqual(along.toSorted())
    expect((await company.call('DELETE', `/v1/projects/${projects}`)).status).toBe(200)
  })
})

test('of ten restores at once one succeeds', async () => {
  const admin = await stage.admin()
  const ids = await oneOfEach(admin.company)
  const removal = await remove(admin, 'projects', ids.projects)
  const answers = await Promise.all(Array.from({ length: 10 }, () => restore(admin, removal)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
})

test('a client restored while it is being deleted from under a project never leaves a live reference to a deleted one', async () => {
  for (let round = 0; round < 5; round++) {
    const admin = await stage.admin()
    const client = await create(admin, 'clients', { name: 'C' })
    const project = await create(admin, 'projects', { name: 'P', client_id: client, status: 'CANCELLED' })
    const removal = await remove(admin, 'projects', project)
    await Promise.all([restore(admin, removal), admin.ask('DELETE', `/console/records/clients/${client}`)])
    const orphans = await stage.sql(
      `select p.id from projects p join clients c on c.company_id = p.company_id and c.id = p.client_id
       where p.company_id = $1 and p.deleted_at is null and c.deleted_at is not null`,
      admin.company.id,
    )
    expect(orphans).toEqual([])
  }
})

test('every kind that can go along has a definition', () => {
  for (const { removal } of registry)
    for (const { records } of removal.relations) expect(definitionOf(registry, records)).toBeDefined()
})
