import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'
import { round } from './round.ts'

const minutes = Number(process.env.TORTURE_MINUTES)
const changes = Number(process.env.TORTURE_CHANGES)

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('a consumer of the feed misses nothing, round after round', { timeout: (minutes + 30) * 60_000 }, async () => {
  const until = performance.now() + minutes * 60_000
  let [rounds, failures] = [0, 0]
  do {
    const { told, killed, wrong } = await round(stage, { changes, writers: 32, changesPerKill: 500 })
    rounds++
    if (wrong.length > 0) failures++
    console.log(`round ${rounds}: ${told} changes told, ${killed} processes killed, ${wrong.length} things wrong`)
    for (const sentence of wrong.slice(0, 10)) console.log(`  ${sentence}`)
  } while (performance.now() < until)
  console.log(`${rounds} rounds, ${failures} of them failed`)
  expect(failures).toBe(0)
})
