import { rightsOfBooks } from '#derive/books.ts'
import { byteOrderMark, formatRow } from '#derive/csv.ts'
import { type ExportColumn, type ExportStyle, exportColumns } from '#derive/export.ts'
import { invalidParameter } from '#derive/query.ts'
import { visibleDefinition } from '#derive/visible.ts'
import { formatName } from '#derive/words.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { ListRequest } from '#registry/listing.ts'
import { list, listIds } from '#sql/records/read.ts'
import type { Actor } from '../records/actor.ts'
import { needFieldRights } from '../records/rights.ts'
import type { Database } from '../store/database.ts'
import { auditFacts } from './audit-log.ts'
import { formatBookPages } from './export-books.ts'
import { createNames } from './export-names.ts'
import { formatWeek, weekListing } from './export-week.ts'

const pageRecords = 500

export type Source = {
  database: Pick<Database, 'read' | 'transaction'>
  actor: Actor
  definition: Definition
  currency: string
}

/**
 * Exports all records of a filter as a file, after it is noted: as a week if a day of it is named. One statement finds their
 * ids. Then they are read and sent page by page, so that neither a slow reader nor a large company holds a connection or the
 * memory.
 */
export async function exportRecords(
  source: Source,
  listing: ListRequest,
  style: ExportStyle,
  week?: string,
): Promise<{ rows: number; parts: AsyncIterable<string> }> {
  const { database, actor } = source
  const { sheet, list: words, name } = source.definition
  const books = style.form === 'books' ? words?.books : undefined
  if (style.form === 'books' && !books)
    throw invalidParameter('form', `is "books", which ${formatName(name)} do not have`)
  if (books) needFieldRights(actor, rightsOfBooks(source.definition, books.columns))
  const part = sheet && week !== undefined ? weekListing(listing, sheet, week) : listing
  const [found] = await database.read<{ ids: number[] }>(listIds(actor, source.definition, part))
  const ids = found?.ids ?? []
  await noteExport(database, actor, { resource: source.definition.name, rows: ids.length })
  const pages = readPages(source, part, ids)
  const visible = { ...source, definition: visibleDefinition(source.definition, actor.lacksRights) }
  if (books) return { rows: ids.length, parts: formatBookPages(source, pages, books, style) }
  const parts =
    sheet && week !== undefined
      ? formatWeek(visible, pages, { sheet, week, style })
      : formatPages(visible, pages, listing, style)
  return { rows: ids.length, parts }
}

/** Logs an export before its first byte is sent. */
export const noteExport = (
  database: Pick<Database, 'transaction'>,
  actor: Actor,
  facts: { resource: string; rows?: number; format?: string },
): Promise<void> =>
  database.transaction((transaction) =>
    auditFacts(transaction, actor, { records: 'exports', action: 'exported', facts }),
  )

async function* readPages({ database, actor, definition }: Source, listing: ListRequest, ids: readonly number[]) {
  for (let at = 0; at < ids.length; at += pageRecords) {
    const some = { ...listing, ids: ids.slice(at, at + pageRecords), limit: pageRecords, offset: 0 }
    const [page] = await database.read<{ json: string }>(list(actor, definition, some))
    yield JSON.parse(`[${page?.json}]`) as JsonObject[]
  }
}

async function* formatPages(
  { database, actor, definition, currency }: Source,
  pages: AsyncIterable<JsonObject[]>,
  { fields }: ListRequest,
  style: ExportStyle,
) {
  const columns = exportColumns(definition, fields, style, currency)
  const names = createNames(database, actor, definition)
  yield byteOrderMark +
    formatRow(
      columns.map(({ title }) => title),
      style.delimiter,
    )
  for await (const records of pages) {
    for (const { reference, read } of columns)
      if (reference !== undefined) await names.read(reference, records.map(read))
    const formatCell =
      (record: JsonObject) =>
      ({ reference, read }: ExportColumn) =>
        reference === undefined ? read(record) : names.of(reference, read(record))
    yield records.map((record) => formatRow(columns.map(formatCell(record)), style.delimiter)).join('')
  }
}
