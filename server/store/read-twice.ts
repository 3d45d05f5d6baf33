import type pg from 'pg'
import { withClient } from './connect.ts'
import type { Connection } from './database.ts'

/** A table that is read page by page and again by its key: two ways to the same rows, through different files. */
export type ReadTwice = { table: string; rows: number; hash: string; same: boolean }

export const readTablesTwice = (connection: Connection): Promise<ReadTwice[]> =>
  withClient(connection, 'a stop', async (client) => {
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ name: string; key: string | null }>(tables)
    const read: ReadTwice[] = []
    for (const { name, key } of rows) {
      const pages = await digest(client, `select * from only ${name}`, 'indexscan, indexonlyscan, bitmapscan')
      const keys = key
        ? await digest(client, `select * from only ${name} order by ${key}`, 'seqscan, sort, bitmapscan')
        : pages
      read.push({ table: name, ...pages, same: pages.rows === keys.rows && pages.hash === keys.hash })
    }
    return read
  })

/** Returns the number of rows, and a hash of them that does not depend on their order. */
async function digest(client: pg.Client, from: string, without: string): Promise<{ rows: number; hash: string }> {
  const ways = without.split(', ').map((way) => `set local enable_${way} = off;`)
  await client.query(`savepoint way; ${ways.join(' ')}`)
  const { rows } = await client.query<{ rows: string; hash: string }>(
    `select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as hash from (${from}) t`,
  )
  await client.query('rollback to savepoint way')
  return { rows: Number(rows[0]?.rows), hash: rows[0]?.hash ?? '' }
}

const tables = `select c.oid::regclass::text as name, (
    select string_agg(quote_ident(a.attname), ', ' order by k.place)
    from pg_index i cross join unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality k (attribute, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attribute
    where i.indrelid = c.oid and i.indisprimary
  ) as key
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
  order by c.oid::regclass::text`
