import { afterAll, beforeAll, expect, test } from 'vitest'
import { readChanges } from '#server/service/changes.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('smoke', async () => {
  const own = await stage.company()
  const id = await own.create('clients', { name: 'A' })
  await own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'B' } })
  await own.call('DELETE', `/v1/clients/${id}`)
  const page = await readChanges(stage.world.database, { companyId: own.id, after: null, limit: 2, keptDays: 30 })
  console.log(JSON.stringify(page, null, 1))
  console.log(
    JSON.stringify(
      await readChanges(stage.world.database, { companyId: own.id, after: page.next, limit: 2, keptDays: 30 }),
      null,
      1,
    ),
  )
  console.log(await stage.sql('select * from log_epochs'))
  const now = await readChanges(stage.world.database, { companyId: own.id, after: 'now', limit: 2, keptDays: 30 })
  console.log(await readChanges(stage.world.database, { companyId: own.id, after: now.next, limit: 2, keptDays: 30 }))
  expect(page.more).toBe(true)
})
