import pg from 'pg'
import { openEmbedded } from '#server/embedded/open.ts'
import { readTablesTwice } from '#server/store/read-twice.ts'

/** What a restored data folder holds: the names that were written, and tables that differ by pages and by key. */
export async function namesIn(folder: string, companyId: number): Promise<{ names: Set<string>; torn: string[] }> {
  const { connection, close } = await openEmbedded({ folder })
  try {
    const client = new pg.Client({ ...connection, ssl: false })
    await client.connect()
    const { rows } = await client
      .query<{ name: string }>('select name from trades where company_id = $1', [companyId])
      .finally(() => client.end())
    const torn = (await readTablesTwice({ ...connection, ssl: false })).filter(({ same }) => !same)
    return { names: new Set(rows.map(({ name }) => name)), torn: torn.map(({ table }) => table) }
  } finally {
    await close()
  }
}
