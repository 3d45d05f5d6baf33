import type { MigrationBuilder } from 'node-pg-migrate'

/**
 * Creates an index without blocking writers, in a migration in TypeScript. It waits for every older snapshot of the
 * database, without a limit: a time-out beside any open reader would leave an invalid index. The invalid index of an
 * earlier attempt is dropped first. A new database has no others to wait for.
 */
export async function createIndexConcurrently(
  pgm: MigrationBuilder,
  index: { name: string; unique?: boolean; on: string },
): Promise<void> {
  const { name, unique = false, on } = index
  const create = `create ${unique ? 'unique ' : ''}index`
  if (pgm.isUsingTransaction()) {
    await pgm.db.query(`${create} if not exists ${name} on ${on}`)
    return
  }
  await runUnlimited(pgm, async () => {
    const invalid = await pgm.db.select(
      `select from pg_index where indexrelid = to_regclass('${name}') and not indisvalid`,
    )
    if (invalid.length > 0) await pgm.db.query(`drop index concurrently ${name}`)
    await pgm.db.query(`${create} concurrently if not exists ${name} on ${on}`)
  })
}

/** Drops an index without blocking writers. */
export const dropIndexConcurrently = (pgm: MigrationBuilder, name: string): Promise<void> =>
  pgm.isUsingTransaction()
    ? pgm.db.query(`drop index if exists ${name}`).then(() => undefined)
    : runUnlimited(pgm, () => pgm.db.query(`drop index concurrently if exists ${name}`))

/**
 * Replaces an index by one with another predicate or second column, under the same name. The new index is valid before the
 * old one is dropped, so a unique index holds all the time. `predicate` and `second` are spelled as `pg_get_expr` and
 * `pg_get_indexdef` return them: an index that has them was replaced by an earlier attempt.
 */
export async function replaceIndex(
  pgm: MigrationBuilder,
  {
    name,
    on,
    predicate,
    second,
    unique = false,
  }: { name: string; on: string; predicate: string; second?: string; unique?: boolean },
): Promise<void> {
  const key = second === undefined ? '' : ` and pg_get_indexdef(indexrelid, 2, false) = '${second}'`
  const replaced = await pgm.db.select(
    `select from pg_index where indexrelid = to_regclass('${name}') and pg_get_expr(indpred, indrelid) = '${predicate.replaceAll("'", "''")}'${key}`,
  )
  if (replaced.length > 0) return
  await createIndexConcurrently(pgm, { name: `${name}_next`, unique, on: `${on} where ${predicate}` })
  await dropIndexConcurrently(pgm, name)
  await pgm.db.query(`alter index ${name}_next rename to ${name}`)
}

/**
 * Sets how full, in percent, inserts leave the pages of a table. Full pages get room by their next updates. The lock
 * blocks no writer, but waits for an autovacuum, which yields after a second.
 */
export const setFillFactor = (pgm: MigrationBuilder, table: string, percent: number): Promise<void> =>
  runUnlimited(pgm, () => pgm.db.query(`alter table ${table} set (fillfactor = ${percent})`))

export const resetFillFactor = (pgm: MigrationBuilder, table: string): Promise<void> =>
  runUnlimited(pgm, () => pgm.db.query(`alter table ${table} reset (fillfactor)`))

/** Runs statements that may wait for a lock without a limit. */
async function runUnlimited(pgm: MigrationBuilder, run: () => Promise<unknown>): Promise<void> {
  const [row] = await pgm.db.select("select current_setting('lock_timeout') as lock_timeout")
  await pgm.db.query('set lock_timeout = 0')
  await run()
  await pgm.db.query(`set lock_timeout = '${row.lock_timeout}'`)
}
