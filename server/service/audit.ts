import type { AuditEntry } from '#derive/console/responses.ts'
import { byteOrderMark, formatRow } from '#derive/csv.ts'
import type { Json } from '#registry/json.ts'
import { type AuditFilter, type AuditRow, auditBefore, listAudit } from '#sql/system/audit.ts'
import type { Database } from '../store/database.ts'

/** The audit log: sign-ins, changes of settings, exports and imports. Decisions, Audit. */

const pageRows = 500

/** Reads all entries, newest first, page by page: no slow reader and no long log holds connection or memory. */
export async function* everyAudit(database: Pick<Database, 'read'>, companyId: number, filter: AuditFilter) {
  let rows = await database.read<AuditRow>(listAudit(companyId, filter, { limit: pageRows, offset: 0 }))
  for (;;) {
    if (rows.length > 0) yield rows.map(formatEntry)
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    rows = await database.read<AuditRow>(auditBefore(companyId, filter, last, pageRows))
  }
}

/** Returns an entry as it is shown. */
export const formatEntry = ({ account_id, account_name, door, changes, place: _, ...entry }: AuditRow): AuditEntry => ({
  ...entry,
  actor: account_id === null ? null : { id: account_id, name: account_name ?? '' },
  channel: door === 'web' ? 'console' : door,
  changes: changes as AuditEntry['changes'],
})

type Column = { name: string; read(entry: AuditEntry): Json }

const columns: readonly Column[] = [
  ...(['id', 'at', 'action', 'records', 'record_id', 'title'] as const).map(plainColumn),
  { name: 'actor_id', read: ({ actor }) => actor?.id ?? null },
  { name: 'actor_name', read: ({ actor }) => actor?.name ?? null },
  ...(['channel', 'peer', 'forwarded_for', 'device', 'request_id', 'changes'] as const).map(plainColumn),
]

function plainColumn(name: Exclude<keyof AuditEntry, 'actor'>): Column {
  return { name, read: (entry) => entry[name] }
}

/** Formats entries as CSV, a chunk for each page. */
export async function* auditCsv(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  yield byteOrderMark + formatRow(columns.map(({ name }) => name))
  for await (const entries of pages)
    yield entries.map((entry) => formatRow(columns.map(({ read }) => read(entry)))).join('')
}

/** Formats entries as the JSON of a list, a chunk for each page. */
export async function* auditJson(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  yield '{"data":['
  let separator = ''
  for await (const entries of pages) {
    yield separator + entries.map((entry) => JSON.stringify(entry)).join(',')
    separator = ','
  }
  yield ']}\n'
}
