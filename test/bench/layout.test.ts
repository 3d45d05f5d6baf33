import { describe, expect, test } from 'vitest'
import { countPerCompany, idOf, layoutOf, placeOf } from '../../bench/scenario/layout.ts'

describe.each([1000, 10_000, 100_000, 1_000_000])('%i records over 1,000 companies', (records) => {
  const layout = layoutOf(records)
  const ordinary = layout.projects.filter(({ first }) => first <= 1000)

  test('are that many, and ids run on without a gap', () => {
    expect(ordinary.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBe(records)
    for (const blocks of [layout.projects, layout.clients, layout.workers, layout.categories]) {
      expect(blocks[0]?.from).toBe(1)
      for (const [index, block] of blocks.entries()) expect(block.from).toBe((blocks[index - 1]?.to ?? 0) + 1)
    }
  })

  test('fill a page of each company that lists are asked of', () => {
    expect(layout.perFullCompany).toBeGreaterThanOrEqual(60)
    const seen = new Map<number, number>()
    for (let id = 1; id <= records; id++) {
      const { company } = placeOf(layout.projects, id)
      seen.set(company, (seen.get(company) ?? 0) + 1)
    }
    for (let company = 1; company <= layout.fullCompanies; company++) {
      expect(seen.get(company), `company ${company}`).toBe(layout.perFullCompany)
    }
    expect(Math.max(...seen.keys())).toBeLessThanOrEqual(1000)
  })

  test('are found by company and number again', () => {
    for (const company of [1, layout.fullCompanies]) {
      for (const ordinal of [0, 1, layout.perFullCompany - 1]) {
        expect(placeOf(layout.projects, idOf(layout.projects, company, ordinal))).toEqual({ company, ordinal })
      }
    }
  })
})

test('the large company comes on top of a million records', () => {
  const { large, projects, clients } = layoutOf(1_000_000)
  expect(large).toEqual({ company: 1001, records: 100_000 })
  expect(placeOf(projects, 1_000_001)).toEqual({ company: 1001, ordinal: 0 })
  expect(countPerCompany(projects.at(-1) as (typeof projects)[0])).toBe(100_000)
  expect(placeOf(clients, idOf(clients, 1001, 5)).company).toBe(1001)
})
