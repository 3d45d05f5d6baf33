import { formatBooks, pathsOfBooks } from '#derive/books.ts'
import { byteOrderMark, formatRow } from '#derive/csv.ts'
import type { ExportStyle } from '#derive/export.ts'
import type { BooksWords, Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { list } from '#sql/records/read.ts'
import type { Source } from './export-records.ts'

/** Formats the file for the bookkeeper, page by page, with what it says of the records referred to. */
export async function* formatBookPages(
  source: Source,
  pages: AsyncIterable<JsonObject[]>,
  { columns }: BooksWords,
  { delimiter }: ExportStyle,
) {
  const { definition, currency } = source
  yield byteOrderMark + formatRow(Object.keys(columns), delimiter)
  for await (const page of pages) {
    const records = await withReferred(source, definition, pathsOfBooks(columns), page)
    yield records.map((record) => formatRow(formatBooks(definition, columns, record, currency), delimiter)).join('')
  }
}

/** Returns the records with those that the paths lead through in the place of their ids. */
async function withReferred(
  source: Pick<Source, 'database' | 'actor'>,
  { fields }: Definition,
  paths: readonly string[],
  records: readonly JsonObject[],
): Promise<JsonObject[]> {
  let whole = [...records]
  const through = Map.groupBy(
    paths.filter((path) => path.includes('.')),
    (path) => path.slice(0, path.indexOf('.')),
  )
  for (const [name, inside] of through) {
    const target = definitionOf(registry, referenceOf(fields[name])?.to ?? '') as Definition
    const ids = [...new Set(records.flatMap(({ [name]: id }) => (typeof id === 'number' ? [id] : [])))]
    const listing = { filters: {}, words: [], sort: [], ids, limit: ids.length, offset: 0 }
    const [page] = await source.database.read<{ json: string }>(list(source.actor, target, listing))
    const found = JSON.parse(`[${page?.json ?? ''}]`) as JsonObject[]
    const rest = inside.map((path) => path.slice(name.length + 1))
    const byId = new Map((await withReferred(source, target, rest, found)).map((one) => [one.id, one]))
    whole = whole.map((record) => ({ ...record, [name]: byId.get(record[name] as number) ?? null }))
  }
  return whole
}
