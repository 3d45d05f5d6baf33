import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'
import { killBatches } from './batch-kills.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('A batch that is killed with -9 in the middle is all or nothing, and its retry completes it without doubles', async () => {
  const { killed, wrong } = await killBatches(stage, { kills: 5, rows: 150 })
  expect(wrong).toEqual([])
  expect(killed).toBe(5)
})
