import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ExportStyle, styleOf } from '#derive/export.ts'
import { formatCount } from '#derive/words.ts'
import type { Definition } from '#registry/definition.ts'
import type { ListRequest } from '#registry/listing.ts'
import { operator } from '../records/actor.ts'
import { exportRecords } from '../service/export-records.ts'
import { Mistake } from './mistake.ts'
import type { CommandContext } from './terminal.ts'
import { withCompany } from './with-app.ts'

export type ExportOptions = { [choice in keyof ExportStyle]?: ExportStyle[choice] } & {
  company: number
  out?: string
  week?: string
}

const everything: ListRequest = {
  filters: {},
  words: [],
  sort: [{ field: 'id', descending: false }],
  limit: Number.MAX_SAFE_INTEGER,
  offset: 0,
}

/** Writes all records of a resource into a file, as the list of the interface exports them. */
export async function exportList(
  context: CommandContext,
  definition: Definition,
  { company: companyId, out = `${definition.name}.csv`, week, ...choice }: ExportOptions,
): Promise<void> {
  if (week !== undefined && !definition.sheet)
    throw new Mistake(`--week is for records with a day and a value, and ${definition.name} have none.`)
  await withCompany(context, companyId, async ({ database }, { currency }) => {
    const source = { database, actor: operator(companyId), definition, currency }
    const { rows, parts } = await exportRecords(source, everything, styleOf(choice), week)
    const file = await open(out, 'w')
    try {
      for await (const part of parts) await file.write(part)
    } finally {
      await file.close()
    }
    context.say({
      json: { file: resolve(out), records: rows },
      text: `Exported ${formatCount(rows, 'record')} of ${definition.name} to ${resolve(out)}.`,
      value: resolve(out),
    })
  })
}
