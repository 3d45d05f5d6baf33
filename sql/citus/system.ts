import { raw, type Sql } from 'sql-template-tag'
import { identifier, type Steps, sql, statement } from '../statement.ts'

/** What the fixed tables are asked where companies are distributed: one company at a time, found by a look at all. */

/** Rows of any company that are to go, and the column that tells them apart in a company. */
export type SweptRows = { table: string; key: string; type: 'text' | 'bigint'; where: Sql; most: number }

/** A row back for each, as of one statement. */
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
        statement(
          sql`delete from ${identifier(table)} where company_id = ${companyId} and ${identifier(key)} = any (${keys}::${raw(type)}[])`,
          `${table}.sweep-company`,
        ),
      )
    }
    return found
  }

/** In one order, so that two that sweep at once never wait for each other. */
export function byCompany<Row extends { company_id: number }>(rows: readonly Row[]): [number, Row[]][] {
  const groups = Map.groupBy(rows, ({ company_id }) => company_id)
  return [...groups].toSorted(([one], [other]) => one - other)
}

/** The changes of row counts, into the totals. What another process has taken meanwhile is not counted twice. */
export const compactThere =
  (most: number): Steps =>
  async (run) => {
    const found = await run<{ company_id: number; id: number }>(
      statement(sql`select company_id, id from tally_changes limit ${most}`, 'row-counts.next'),
    )
    for (const [companyId, rows] of byCompany(found)) {
      const moved = await run<{ records: string; change: number }>(
        statement(
          sql`delete from tally_changes where company_id = ${companyId} and id = any (${rows.map(({ id }) => id)}::bigint[])
          returning records, change`,
          'row-counts.take',
        ),
      )
      const sums = new Map<string, number>()
      for (const { records, change } of moved) sums.set(records, (sums.get(records) ?? 0) + change)
      for (const [records, sum] of [...sums].toSorted())
        await run(
          statement(
            sql`insert into tallies (company_id, records, total) values (${companyId}, ${records}, ${sum})
            on conflict (company_id, records) do update set total = tallies.total + excluded.total`,
            'row-counts.add',
          ),
        )
    }
    return found
  }
