import { raw, type Sql } from 'sql-template-tag'
import { identifier, query, type Steps, sql, statement } from '../statement.ts'

/**
 * Statements on the fixed tables where companies are distributed: a look-up over all companies, then one statement a
 * company.
 */

/** Rows of any company to be deleted, and the column that identifies them within a company. */
export type SweptRows = { table: string; key: string; type: 'text' | 'bigint'; where: Sql; most: number }

/** Returns a row for each deleted one, as the single statement does. */
export const sweepThere =
  ({ table, key, type, where, most }: SweptRows): Steps =>
  async (run) => {
    const found = await run<{ company_id: number; key: string }>(
      statement(
        sql`select company_id, ${identifier(key)}::text as key from ${identifier(table)} ${where} limit ${most}`,
      ),
    )
    for (const [companyId, rows] of byCompany(found)) {
      const keys = rows.map((row) => row.key)
      await run(
        query(`${table}.sweep-company`)`
          delete from ${identifier(table)} where company_id = ${companyId} and ${identifier(key)} = any (${keys}::${raw(type)}[])`,
      )
    }
    return found
  }

/** Groups rows by company in one order, so that two concurrent sweeps never wait for each other. */
export function byCompany<Row extends { company_id: number }>(rows: readonly Row[]): [number, Row[]][] {
  const groups = Map.groupBy(rows, ({ company_id }) => company_id)
  return [...groups].toSorted(([one], [other]) => one - other)
}

/**
 * Adds the changes of row counts to the totals. A change that another process has taken meanwhile is not counted twice.
 */
export const compactThere =
  (most: number): Steps =>
  async (run) => {
    const found = await run<{ company_id: number; id: number }>(
      query('row-counts.next')`select company_id, id from tally_changes limit ${most}`,
    )
    for (const [companyId, rows] of byCompany(found)) {
      const moved = await run<{ records: string; change: number }>(
        query('row-counts.take')`
          delete from tally_changes where company_id = ${companyId} and id = any (${rows.map(({ id }) => id)}::bigint[])
          returning records, change`,
      )
      const sums = new Map<string, number>()
      for (const { records, change } of moved) sums.set(records, (sums.get(records) ?? 0) + change)
      for (const [records, sum] of [...sums].toSorted())
        await run(
          query('row-counts.add')`
            insert into tallies (company_id, records, total) values (${companyId}, ${records}, ${sum})
            on conflict (company_id, records) do update set total = tallies.total + excluded.total`,
        )
    }
    return found
  }
