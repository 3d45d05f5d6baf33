import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  copyCheckout,
  hasFound,
  type PlantedBug,
  plant,
  planted,
  runPlanted,
} from '../../proof/planted/planted-bugs.ts'
import { rules } from '../../proof/rules/index.ts'

let folder: string
let checkout: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-planted-'))
  checkout = join(folder, 'checkout')
  copyCheckout(checkout)
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const textOf = ({ file }: Pick<PlantedBug, 'file'>): string => readFileSync(join(checkout, file), 'utf8')

test.each(planted)('The planted bug "$bug" still has its place', (one) => {
  const whole = textOf(one)
  const makeWhole = plant(one, checkout)
  for (const { file, instead } of [one, ...(one.also ?? [])]) expect(textOf({ file })).toContain(instead)
  makeWhole()
  expect(textOf(one)).toBe(whole)
})

test('For every rule a bug is planted that it has to find', () => {
  expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(rules.map(({ name }) => name)))
})

test('A bug that is planted in a copy of the service is found by its rule alone', async () => {
  const one = planted.find(({ bug }) => bug === 'If-Match is not compared') as PlantedBug
  const seen = await runPlanted(one, { checkout, file: join(folder, 'history.jsonl'), seed: 1 })
  expect(hasFound(seen), seen.failure).toBe(true)
  expect(Object.keys(seen.found)).toEqual([one.rule])
})

test('A planted run that fails counts as one that found nothing', async () => {
  const one: PlantedBug = { ...(planted[0] as PlantedBug), line: 'no such line', also: [] }
  const seen = await runPlanted(one, { checkout, file: join(folder, 'history.jsonl'), seed: 1 })
  expect(hasFound(seen)).toBe(false)
  expect(seen.failure).toContain('a bug replaces a line that is there once')
})
