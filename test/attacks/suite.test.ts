import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { freshDatabase } from '../stage/database.ts'
import { formatReport, openReport, type Report, rules } from './report.ts'
import { accountsFor, wholeSurface } from './rights.ts'
import { attack } from './run.ts'

/** The short form of `npm run attacks`. */

let report: Report
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await freshDatabase()
  drop = database.drop
  report = await attack(database.connection, { form: 'short' })
}, 600_000)
afterAll(() => drop())

const betweenCompanies: readonly string[] = [rules.isLikeNobodys, rules.isOfOwn, rules.leavesOthers, rules.staysSame]

test('Every call is refused or made as the rights of its caller say, and tells no more than they open [V8.2.1] [V8.2.3] [V8.3.1]', () => {
  expect(
    report.findings.filter(({ rule }) => !betweenCompanies.includes(rule)),
    formatReport(report, 0),
  ).toEqual([])
  expect(report.endedBy).toBeUndefined()
})

test('What a company names of another is answered like what nobody has, and neither changes or sees the other [V8.2.2] [V8.4.1]', () => {
  expect(
    report.findings.filter(({ rule }) => betweenCompanies.includes(rule)),
    formatReport(report, 0),
  ).toEqual([])
})

test('Every operation of /v1 and of the console and every tool is attacked', () => {
  const { routes, consoleRoutes, tools } = wholeSurface
  const all = [
    ...routes.map(({ id }) => id),
    ...consoleRoutes.map(({ id }) => `console.${id}`),
    ...tools.map((name) => `mcp.${name}`),
  ]
  expect(all.filter((id) => !report.byOperation.has(id))).toEqual([])
})

test('At least 600 answers about another company are compared with answers about nobody', () => {
  expect(report.comparisons).toBeGreaterThan(600)
})

test('There is an account with each right alone and one without it, one with none and one with all', () => {
  const accounts = accountsFor(permissions).map(({ held }) => held.length)
  expect(accounts.filter((held) => held === 1)).toHaveLength(permissions.length)
  expect(accounts.filter((held) => held === permissions.length - 1)).toHaveLength(permissions.length)
  expect(accounts.filter((held) => held === 0 || held === permissions.length)).toHaveLength(2)
})

describe('A report', () => {
  test('has the counts, and each rule with what was found by it', () => {
    const found = { rule: 'a rule', call: 'GET /v1/me', who: 'nobody', says: 'too much' }
    const text = formatReport({ ...openReport(), calls: 3, comparisons: 2, findings: Array(10).fill(found) }, 4.2)
    expect(text.split('\n')[0]).toBe('a rule: 10')
    expect(text).toContain('GET /v1/me, by nobody: too much')
    expect(text).toContain('and 2 more')
    expect(text).toMatch(/3 calls of 0 operations, 2 comparisons, 10 findings, in 4 s\.$/)
  })
})
