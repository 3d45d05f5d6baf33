import { afterAll, beforeAll, expect, test } from 'vitest'
import { listGoing } from '#derive/agent/going.ts'
import type { JsonObject } from '#registry/json.ts'
import { type ConsoleStage, openConsole } from '../console/stage.ts'
import { setAgentsOf, useRaw } from './stage.ts'

/** What somebody is shown who decides on a change that deletes. */

let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

async function open() {
  const { company, ...person } = await stage.admin()
  await setAgentsOf(stage, company)
  const preview = async (operations: JsonObject[]) => {
    const { data, isError } = await useRaw(stage, company, 'preview', { operations, why: 'tidying up' })
    if (isError) throw new Error(JSON.stringify(data))
    return person.data(`/console/agents/previews/${data.preview}`)
  }
  return { company, person, preview }
}

test('What the same token changed in the records within the last day stands beside them, and nothing else', async () => {
  const { company, person, preview } = await open()
  const id = await company.create('clients', { name: 'Big Important Customer Ltd' })
  await stage.sql("update history set at = now() - interval '25 hours' where company_id = $1", company.id)
  const { headers } = await person.get(`/console/records/clients/${id}`)
  const etag = { 'If-Match': String(headers.etag) }
  await person.ask('PATCH', `/console/records/clients/${id}`, { notes: 'By hand' }, etag)
  await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'zz test' } })
  const { named, plan } = await preview([{ op: 'delete', records: 'clients', id }])
  expect(plan.changes).toHaveLength(1)
  expect(named).toMatchObject([
    {
      records: 'clients',
      record_id: id,
      title: 'zz test',
      recent: [{ action: 'changed', changes: { name: ['Big Important Customer Ltd', 'zz test'] } }],
    },
  ])
  expect(named[0].recent).toHaveLength(1)
})

test('Of a change of more records than are shown, those that it deletes are shown, before those that go along', async () => {
  const { company, preview } = await open()
  const project = await company.create('projects', { name: 'Full' })
  await stage.sql(
    `insert into tasks (company_id, project_id, title, done) select $1, $2, 'T' || n, false from generate_series(1, 1200) n`,
    company.id,
    project,
  )
  const client = await company.create('clients', { name: 'Changed' })
  const worker = await company.record('workers', { name: 'Last of all' })
  const operations = [
    { op: 'update', records: 'clients', id: client, body: { notes: 'x' } },
    { op: 'delete', records: 'workers', id: worker },
    { op: 'delete', records: 'projects', id: project },
  ]
  const { plan, operations: sent, named } = await preview(operations)
  expect(plan.changes.slice(0, 2)).toMatchObject([
    { records: 'projects', id: project, action: 'deleted' },
    { records: 'workers', id: worker, action: 'deleted' },
  ])
  const going = listGoing(plan, sent)
  expect([going.named.length, going.count, plan.total]).toEqual([2, 1202, 1203])
  const titles = new Map(
    named.map((one: { record_id: number; records: string; title: string }) => [
      `${one.records} ${one.record_id}`,
      one.title,
    ]),
  )
  expect([titles.get(`projects ${project}`), titles.get(`workers ${worker}`)]).toEqual(['Full', 'Last of all'])
})
