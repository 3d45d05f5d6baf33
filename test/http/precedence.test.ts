import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataRoutesOf } from '#derive/routes.ts'
import type { RefusalCode } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { callIn, compatible, scenarios, tokenLimit } from '../stage/scenarios.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  // A reference that others keep taking is refused after the time of a statement.
  stage = await openStage({ ...tokenLimit, STATEMENT_TIMEOUT_MS: '10000' })
})
afterAll(() => stage.close())

/** `route.refusals` stands in the order in which they are decided, so a call that earns two gets the first. */
const pairsOf = (
  codes: readonly RefusalCode[],
  isWanted: (first: number, second: number) => boolean,
): [RefusalCode, RefusalCode][] =>
  codes.flatMap((first, one) =>
    codes.flatMap((second, other): [RefusalCode, RefusalCode][] =>
      one < other && isWanted(one, other) && compatible(first, second) ? [[first, second]] : [],
    ),
  )

// Each pair has a company of its own.
describe.concurrent.each(dataRoutesOf(registry))('$id', (route) => {
  const provoked = route.refusals.filter((code) => scenarios[code])
  // One resource shows every pair; the others, made from the same data, each neighbouring pair.
  const pairs = pairsOf(provoked, (one, other) => route.definition?.name === 'projects' || other - one === 1)
  test.each(pairs)('%s comes before %s', async (first, second) => {
    const { body } = await callIn(stage, route, [first, second])
    expect(body.code).toBe(first)
  })
})
