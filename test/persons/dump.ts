import type { Stage } from '../stage/stage.ts'
import { untilNoted } from '../stage/wait.ts'

/** Every row of every table of ours as text, with what is binary as text too where it is any. */
export type Dump = Map<string, string[]>

export async function dumpAll({ app, sql }: Pick<Stage, 'app' | 'sql'>): Promise<Dump> {
  await untilNoted(app)
  const tables = await sql<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1`,
  )
  const dump: Dump = new Map()
  for (const { name } of tables) {
    const rows = await sql<{ row: { [column: string]: unknown } }>(`select to_jsonb(r) as row from ${name} r`)
    dump.set(name, rows.map(({ row }) => textOf(row)).toSorted())
  }
  return dump
}

const textOf = (row: { [column: string]: unknown }): string =>
  JSON.stringify(row, (_, value) => (typeof value === 'string' && /^\\x/.test(value) ? decoded(value) : value))

/** bytea, as its hexadecimal digits and as the text that it may be. */
const decoded = (hex: string): string => `${hex} ${Buffer.from(hex.slice(2), 'hex').toString('latin1')}`

/** The lines of a dump in which one of the words stands: as it is, in any capitals, without accents. */
export function linesWith(dump: Dump, words: readonly string[]): string[] {
  const wanted = words.map(folded)
  return [...dump].flatMap(([table, rows]) =>
    rows.filter((row) => wanted.some((word) => folded(row).includes(word))).map((row) => `${table}: ${row}`),
  )
}

const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('\\u00', '').toLowerCase()
