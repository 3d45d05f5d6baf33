import { Readable } from 'node:stream'
import { byteOrderMark, columnsOf, formatRow } from '#derive/csv.ts'
import { visibleDefinition } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { ListRequest } from '#registry/listing.ts'
import { list, listIds } from '#sql/records/read.ts'
import type { Actor } from '../records/actor.ts'
import { auditFacts } from '../service/audit-log.ts'
import type { AdmittedRequest, App, ConsoleResult, Handlers } from './operation-request.ts'
import { readConsoleListing } from './read-parameters.ts'

const pageRecords = 500

/**
 * Exports all records of a filter as CSV. One statement finds their ids. Then they are read and sent page by page, so
 * that neither a slow reader nor a large company holds a connection or the memory.
 */
export const exportAll: Handlers['records.export'] = ({ list: like }) => {
  const { definition } = like
  const route = { ...like, path: `${like.path}.csv` }
  return async ({ app, query, session, requestId }) => {
    const { actor } = session()
    const listing = readConsoleListing(query, route, actor, 'everything')
    const [found] = await app.database.read<{ ids: number[] }>(listIds(actor, definition, listing))
    const ids = found?.ids ?? []
    await noteExport(app, actor, { resource: definition.name, rows: ids.length })
    const parts = pages(app, actor, visibleDefinition(definition, actor.lacksRights), listing, ids)
    return download({ app, requestId }, { name: definition.name, type: csvType }, parts)
  }
}

export const csvType = 'text/csv; charset=utf-8'

/** Logs an export before its first byte is sent. */
export const noteExport = (
  { database }: Pick<App, 'database'>,
  actor: Actor,
  facts: { resource: string; rows?: number; format?: string },
): Promise<void> =>
  database.transaction((transaction) =>
    auditFacts(transaction, actor, { records: 'exports', action: 'exported', facts }),
  )

/** Returns a file named by today, sent while it is read. A failure breaks it off, so no part passes for the whole. */
export function download(
  { app, requestId }: Pick<AdmittedRequest, 'app' | 'requestId'>,
  { name, type }: { name: string; type: string },
  parts: AsyncIterable<string>,
): ConsoleResult {
  const day = app.clock.now().toISOString().slice(0, 10)
  const extension = type === csvType ? 'csv' : 'json'
  const body = Readable.from(parts, { objectMode: false })
  body.on('error', (error) => app.log.error({ request_id: requestId, error }, 'an export was broken off'))
  return {
    status: 200,
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}-${day}.${extension}"`,
    },
    body,
  }
}

async function* pages({ database }: App, actor: Actor, definition: Definition, listing: ListRequest, ids: number[]) {
  const columns = columnsOf(definition, listing.fields)
  yield byteOrderMark + formatRow(columns.map(({ title }) => title))
  for (let at = 0; at < ids.length; at += pageRecords) {
    const some = { ...listing, ids: ids.slice(at, at + pageRecords), limit: pageRecords, offset: 0 }
    const [page] = await database.read<{ json: string }>(list(actor, definition, some))
    const records = JSON.parse(`[${page?.json}]`) as JsonObject[]
    yield records.map((record) => formatRow(columns.map(({ read }) => read(record)))).join('')
  }
}
