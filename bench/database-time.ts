import type { Postgres } from './postgres.ts'

/** The time of PostgreSQL on the statements of one database while `work` ran. */
export type DatabaseTime = { milliseconds: number; statements: number; slowest: string }

/** Measures the database time of `work`. `exceptMetering` leaves out the call log, which is written beside reads. */
export async function timeInDatabase(
  { sql }: Postgres,
  database: string,
  work: () => Promise<void>,
  { exceptMetering = false } = {},
): Promise<DatabaseTime> {
  await track(sql, 'top')
  try {
    await sql('select pg_stat_statements_reset()')
    await work()
    const [row] = await sql<DatabaseTime>(
      `select coalesce(sum(s.total_exec_time + s.total_plan_time), 0)::float8 as milliseconds,
        coalesce(sum(s.calls), 0)::int as statements,
        coalesce((array_agg(s.query order by s.total_exec_time desc))[1], '') as slowest
      from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = $1 and not ($2 and s.query like 'insert into calls%')`,
      [database, exceptMetering],
    )
    return row as DatabaseTime
  } finally {
    await track(sql, 'none')
  }
}

/** Time until all connections use changed settings, which they read between two statements. */
const settleMilliseconds = 50

async function track(sql: Postgres['sql'], which: 'top' | 'none'): Promise<void> {
  await sql(`alter system set "pg_stat_statements.track" = '${which}'`)
  await sql(`alter system set "pg_stat_statements.track_planning" = 'on'`)
  await sql('select pg_reload_conf()')
  await new Promise((resolve) => setTimeout(resolve, settleMilliseconds))
}
