import { expect, test } from 'vitest'
import { plant, planted } from '../../proof/planted/planted.ts'
import { rules } from '../../proof/rules/index.ts'

test.each(planted)('The planted bug "$bug" still has its place', (one) => {
  expect(plant(one)).toContain(one.instead)
})

test('For every rule a bug is planted that it has to find', () => {
  expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(rules.map(({ name }) => name)))
})
