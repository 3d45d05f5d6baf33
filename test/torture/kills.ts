import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'
import { killBatches } from './batch-kills.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('batches that are killed in the middle are all or nothing, and completed by the retry', {
  timeout: 1_800_000,
}, async () => {
  const kills = Number(process.env.TORTURE_KILLS)
  const { killed, unfinished, wrong } = await killBatches(stage, { kills, rows: 300 })
  console.log(`${killed} batches killed, ${unfinished} of them before they were whole, ${wrong.length} things wrong`)
  for (const sentence of wrong.slice(0, 10)) console.log(`  ${sentence}`)
  expect(wrong).toEqual([])
})
