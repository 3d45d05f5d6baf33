import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

test('an empty company has nothing waiting', async () => {
  const { data } = (await admin.get('/console/home')).body
  expect(data).toMatchObject({
    projects_by_status: {},
    estimates_waiting: { count: 0, total_minor: 0 },
    expiring: { insurance: [], insurance_count: 0, licences: [], licences_count: 0 },
    service_due: { count: 0, items: [] },
    hours_to_approve: { count: 0, hours: 0 },
    draft_invoices: { count: 0 },
    recent: [],
  })
})

describe('With something to do', () => {
  let ids: { [kind: string]: number }
  beforeAll(async () => {
    ids = await oneOfEach(admin.company)
    const make = (kind: string, body: object) => admin.company.record(kind, body as { [field: string]: string })
    await make('projects', { name: 'Paused', status: 'ON_HOLD' })
    const lines = [{ description: 'Wall', quantity: 3, unit_price_minor: 1000 }]
    for (const title of ['A', 'B']) await make('estimates', { title, status: 'SENT', client_id: ids.clients, lines })
    for (let day = 0; day < 7; day++) {
      await make('subcontractors', { name: `S${day}`, insurance_expires_on: inDays(day - 3) })
      await make('equipment', { name: `E${day}`, next_service_on: inDays(6 - day) })
    }
    await make('subcontractors', { name: 'Late', insurance_expires_on: inDays(31), license_expires_on: inDays(30) })
    await make('subcontractors', { name: 'Out', insurance_expires_on: inDays(0), status: 'INACTIVE' })
    await make('equipment', { name: 'Scrap', next_service_on: inDays(0), status: 'RETIRED' })
    await admin.ask('PATCH', `/console/records/projects/${ids.projects}`, { name: 'Renamed' })
  })

  test('each part counts what waits', async () => {
    const home = await admin.data('/console/home')
    expect(home.projects_by_status).toEqual({ ACTIVE: 1, ON_HOLD: 1 })
    expect(home.estimates_waiting).toEqual({ count: 2, total_minor: 6000 })
    expect(home.expiring).toMatchObject({ until: inDays(30), insurance_count: 7, licences_count: 1 })
    expect(home.expiring.insurance.map(({ name }: { name: string }) => name)).toEqual(['S0', 'S1', 'S2', 'S3', 'S4'])
    expect(home.expiring.licences).toEqual([{ id: expect.any(Number), name: 'Late', on: inDays(30) }])
    expect(home.service_due).toMatchObject({ until: inDays(14), count: 7 })
    expect(home.service_due.items[0]).toMatchObject({ name: 'E6', on: inDays(0) })
    expect(home.hours_to_approve).toEqual({ count: 1, hours: 7.5 })
    expect(home.draft_invoices).toEqual({ count: 1 })
    expect(home.recent).toHaveLength(10)
    expect(home.recent[0]).toMatchObject({
      records: 'projects',
      record_id: ids.projects,
      title: 'Renamed',
      action: 'changed',
      changes: { name: ['Project', 'Renamed'] },
      who: { account_id: admin.id, name: 'Femi' },
      door: 'web',
    })
  })

  test.each([
    ['estimates_waiting', '/console/records/estimates?status=SENT', 'count'],
    ['hours_to_approve', '/console/records/time_entries?status=DRAFT', 'count'],
    ['draft_invoices', '/console/records/invoices?status=DRAFT', 'count'],
    [
      'expiring',
      `/console/records/subcontractors?status=ACTIVE&insurance_expires_on_to=${inDays(30)}`,
      'insurance_count',
    ],
    ['expiring', `/console/records/subcontractors?status=ACTIVE&license_expires_on_to=${inDays(30)}`, 'licences_count'],
    [
      'service_due',
      `/console/records/equipment?status=ACTIVE,IN_USE,MAINTENANCE&next_service_on_to=${inDays(14)}`,
      'count',
    ],
  ])('%s is as long as the list behind it, %s', async (part, path, count) => {
    const home = await admin.data('/console/home')
    expect((await admin.get(path)).body.meta.total).toBe(home[part][count])
  })

  test.each([
    ['PROJECTS_VIEW', ['projects_by_status', 'recent']],
    ['ESTIMATES_VIEW', ['estimates_waiting', 'recent']],
    ['SUBCONTRACTORS_VIEW', ['expiring', 'recent']],
    ['EQUIPMENT_VIEW', ['service_due', 'recent']],
    ['TIME_ENTRIES_VIEW', ['hours_to_approve', 'recent']],
    ['INVOICES_VIEW', ['draft_invoices', 'recent']],
    ['PROJECTS_EDIT', []],
  ])('who holds %s sees %j', async (held, parts) => {
    const person = await stage.person(admin.company, [held])
    const home = await person.data('/console/home')
    expect(Object.keys(home)).toEqual(parts)
    const resources = new Set((home.recent ?? []).map(({ records }: { records: string }) => records))
    expect([...resources]).toEqual(parts.length > 0 ? [held.replace('_VIEW', '').toLowerCase()] : [])
  })
})
