import { describe, expect, test } from 'vitest'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Run, Statement } from '#sql/statement.ts'
import { everyStatement } from '../../bench/plans/statements/index.ts'
import { beginningOf, beginnings } from '../citus/unrouted.ts'

/** A company is named by the columns of an insert, by a condition, or by its own row. */
const namesCompany =
  /\(\s*company_id\b|\bcompany_id = \$\d|\bcompanies\s+(c\s+|co\s+)?(set [^$]*\$[\s\S]*)?where (c\.|co\.)?id = \$\d|\bc\.id = \$\d|insert into companies/

/** What a distributed database is really asked; each answer has something of everything. */
async function askedBy(statement: Statement | BatchableRead): Promise<Statement[]> {
  const asked: Statement[] = []
  const row = { id: 1, company_id: 7, account_id: 8, key: 'k', epoch: 1, pos: '1', live: true, address_allowed: true }
  const run = (async (one: Statement) => {
    if (one.distributed) return one.distributed(run)
    asked.push(one)
    return [{ ...row, email: 'a@example.com', used: 1, history_id: 2, held: null, records: 'projects', change: 1 }]
  }) as Run
  // What is told of servers has another shape.
  await run(statement.batchable ? statement.alone() : statement).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error
  })
  return asked
}

const met = new Set<string>()

describe('A statement names its company, so that one server can answer it', () => {
  test.each(everyStatement)('%s', async (_, statements) => {
    for (const one of (await Promise.all(statements.map(askedBy))).flat()) {
      const beginning = beginningOf(one)
      if (beginning === undefined) expect(one.text).toMatch(namesCompany)
      else met.add(beginning)
    }
  })

  test('but for those that are listed with their reason, of which there is each', () => {
    expect(beginnings.filter((beginning) => !met.has(beginning))).toEqual([])
  })
})
