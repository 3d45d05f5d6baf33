import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { asSuperuser } from '#server/embedded/access.ts'
import { readPointer } from '#server/embedded/location.ts'
import { openEmbedded } from '#server/embedded/open.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { openDatabase } from '#server/store/database.ts'
import { migrate } from '#server/store/migrate.ts'
import { type Connection, dataFolder } from '../postgres.ts'
import type { Progress } from '../progress.ts'
import { createCompanies } from '../scenario/companies.ts'
import { type Block, countPerCompany, type Layout, layoutOf } from '../scenario/layout.ts'

/** Creates a data folder with an empty database, like a first start. `remove` removes all of it. */
export async function newFolder(progress: Progress): Promise<{ connection: Connection; remove(): Promise<void> }> {
  const folder = join(dirname(dataFolder), `fresh-${process.pid}`)
  await mkdir(dirname(folder), { recursive: true })
  await (await openEmbedded({ folder, progress: progress.say })).close()
  // The bench creates and fills the analysed databases, which needs a superuser.
  await asSuperuser(folder, 'alter role plumbline superuser')
  const embedded = await openEmbedded({ folder, progress: progress.say })
  return {
    connection: embedded.connection,
    async remove() {
      await embedded.close()
      const elsewhere = await readPointer(folder)
      for (const path of elsewhere === undefined ? [folder] : [elsewhere, folder])
        await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Returns a layout with one company, whose projects refer to the same records at every size. */
export const freshLayout = (records: number): Layout => ({
  ...layoutOf(records, 1),
  clients: [{ from: 1, to: 200, first: 1, companies: 1 }],
  large: null,
})

/** Creates the tables, the company and the referenced records of the layout, by the product's own services. */
export async function furnish(connection: Connection, layout: Layout, progress: Progress): Promise<void> {
  await migrate(connection, progress.say)
  await createCompanies(connection, 1, progress)
  await createRecords(connection, 'categories', layout.categories, (n) => ({ name: `Category ${n}`, kind: 'project' }))
  await createRecords(connection, 'workers', layout.workers, (n) => ({ name: `Worker ${n}`, employee_no: `W-${n}` }))
  await createRecords(connection, 'clients', layout.clients, (n) => ({ name: `Client ${n}`, tax_id: `GB${n}` }))
}

async function createRecords(
  connection: Connection,
  resource: string,
  [block]: readonly Block[],
  body: (number: number) => { [field: string]: string },
): Promise<void> {
  const definition = definitionOf(registry, resource)
  if (!definition) throw new Error(`there are no ${resource}`)
  if (!block) return
  const limits = { connectionsMax: 2, statementTimeout: 60_000, lockTimeout: 60_000, connectTimeout: 10_000 }
  const database = openDatabase(connection, limits, () => {})
  try {
    for (let number = 1; number <= countPerCompany(block); number++) {
      const { id } = await database.transaction((transaction) =>
        createRecord(transaction, operator(1), definition, body(number)),
      )
      if (id !== number) throw new Error(`${resource} ${number} was given the id ${id}`)
    }
  } finally {
    await database.close()
  }
}
