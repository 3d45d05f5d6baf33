import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { lineRegions, mergedLines } from '../../console/records/form/race-lines.ts'

const line = (description: string, more: object = {}): JsonObject => ({
  ...{ description, quantity: 1, unit: null, unit_price_minor: 100 },
  ...more,
})
const [a, b, c, d] = ['A', 'B', 'C', 'D'].map((name) => line(name)) as [JsonObject, JsonObject, JsonObject, JsonObject]

describe('Lines that two people changed', () => {
  const rows: { why: string; mine: JsonObject[]; theirs: JsonObject[]; merged: JsonObject[]; conflicts: number }[] = [
    {
      why: 'another line each',
      mine: [line('A', { quantity: 2 }), b, c],
      theirs: [a, b, line('C', { unit_price_minor: 5 })],
      merged: [line('A', { quantity: 2 }), b, line('C', { unit_price_minor: 5 })],
      conflicts: 0,
    },
    {
      why: 'lines side by side',
      mine: [line('A', { quantity: 2 }), b, c],
      theirs: [a, line('B', { unit: 'm' }), c],
      merged: [line('A', { quantity: 2 }), line('B', { unit: 'm' }), c],
      conflicts: 0,
    },
    {
      why: 'another member of one line each',
      mine: [a, line('B', { quantity: 2 }), c],
      theirs: [a, line('B', { unit_price_minor: 5 }), c],
      merged: [a, line('B', { quantity: 2, unit_price_minor: 5 }), c],
      conflicts: 0,
    },
    { why: 'one adds, one removes', mine: [a, b, c, d], theirs: [b, c], merged: [b, c, d], conflicts: 0 },
    { why: 'both the same', mine: [a, c], theirs: [a, c], merged: [a, c], conflicts: 0 },
    {
      why: 'a member here, a member there and a line more',
      mine: [line('A', { quantity: 2 }), line('B', { unit: 'm' }), c],
      theirs: [line('A', { unit_price_minor: 5 }), line('B', { unit_price_minor: 5 }), c, d],
      merged: [line('A', { quantity: 2, unit_price_minor: 5 }), line('B', { unit: 'm', unit_price_minor: 5 }), c, d],
      conflicts: 0,
    },
    {
      why: 'a line put in front, another renamed',
      mine: [d, a, b, c],
      theirs: [a, line('E'), c],
      merged: [d, a, line('E'), c],
      conflicts: 0,
    },
    {
      why: 'the same price',
      mine: [a, line('B', { unit_price_minor: 7 }), c],
      theirs: [a, line('B', { unit_price_minor: 5 }), c],
      merged: [a, line('B', { unit_price_minor: 7 }), c],
      conflicts: 1,
    },
    {
      why: 'one removes what the other changes',
      mine: [a, line('B', { unit_price_minor: 7 }), c],
      theirs: [a, c],
      merged: [a, line('B', { unit_price_minor: 7 }), c],
      conflicts: 1,
    },
  ]
  test.each(rows)('$why', ({ mine, theirs, merged, conflicts }) => {
    const regions = lineRegions([a, b, c], theirs, mine)
    expect(regions.filter(({ is }) => is === 'conflict')).toHaveLength(conflicts)
    expect(mergedLines(regions, () => false)).toEqual(merged)
    if (conflicts > 0) expect(mergedLines(regions, () => true)).toEqual(theirs)
  })
})
