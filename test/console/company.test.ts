import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { operator } from '#server/records/actor.ts'
import { todayOf } from '#server/records/today.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person } from './stage.ts'

/** The company: its fields, its day, its logo. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** The clocks of the company and of the service, until the end of the test. */
async function at(timeZone: string, moment: string): Promise<void> {
  await stage.sql('update companies set time_zone = $2 where id = $1', admin.company.id, timeZone)
  vi.spyOn(stage.app.clock, 'now').mockReturnValue(new Date(moment))
}

test.each([
  ['UTC', '2026-06-30T23:30:00Z', '2026-06-30'],
  ['Pacific/Auckland', '2026-06-30T12:00:00Z', '2026-07-01'],
  ['America/Los_Angeles', '2026-07-01T06:59:00Z', '2026-06-30'],
])('In %s it is at %s the day %s, on the first page and in the name of a file.', async (zone, now, day) => {
  await at(zone, now)
  const { expiring, service_due } = await admin.data('/console/home')
  const later = (days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  expect([expiring.until, service_due.until]).toEqual([later(30), later(14)])
  const { headers } = await admin.get('/console/records/clients.csv')
  expect(headers['content-disposition']).toBe(`attachment; filename="clients-${day}.csv"`)
})

test('The pages get the zone, and a write of the operator reads it.', async () => {
  await at('Pacific/Kiritimati', '2026-01-01T00:00:00Z')
  expect((await admin.data('/console/me')).company).toMatchObject({ time_zone: 'Pacific/Kiritimati' })
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-31T10:00:00Z') })
  const day = await stage.inTransaction((transaction) => todayOf({ transaction, actor: operator(admin.company.id) }))
  expect(day).toBe('2026-04-01')
})
