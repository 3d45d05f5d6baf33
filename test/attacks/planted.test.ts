import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutate } from '../../tools/asvs-mutants.ts'
import { findPlanted, inCopy, type PlantedBug, planted } from './planted.ts'
import { rules } from './report.ts'

const root = join(import.meta.dirname, '../..')

test.each(planted)('The planted bug "$bug" still has its place', ({ file, line, instead }) => {
  expect(mutate(readFileSync(join(root, file), 'utf8'), { row: '', test: '', file, line, instead })).toContain(instead)
})

test('For every rule a bug is planted that it has to find', () => {
  expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(Object.values(rules)))
})

test('A bug that is planted in a copy of the checkout is found by its rule', { timeout: 600_000 }, () =>
  inCopy(async (checkout) => {
    for (const bug of tried) {
      const one = planted.find((each) => each.bug === bug) as PlantedBug
      expect(await findPlanted(checkout, one, 'workers'), bug).toHaveProperty([one.rule])
    }
  }),
)

/** `npm run attacks -- --planted` tries all. */
const tried = ['A record is read by its id alone']
