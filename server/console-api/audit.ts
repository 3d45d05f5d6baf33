import type { AuditEntry } from '#derive/console/responses.ts'
import { invalidParameter, quoteText, readInteger } from '#derive/query.ts'
import { idMax } from '#registry/limits.ts'
import { type AuditFilter, type AuditKind, auditKinds } from '#sql/system/audit.ts'
import { jsonType } from '../pipeline/stored-response.ts'
import { auditCsv, auditJson, everyAudit, readAudit } from '../service/audit.ts'
import { csvType, download, noteExport } from './export.ts'
import type { ConsoleResult, OperationRequest } from './operation-request.ts'
import { readDayOrMoment, readPage } from './read-parameters.ts'

/** Settings, Audit: a page of the audit log, or all of it as a file. */

export async function list({ parameters, read }: OperationRequest<'audit.list'>) {
  const page = readPage(parameters)
  const filter = readFilter(parameters)
  return read((transaction, companyId) => readAudit(transaction, companyId, filter, page))
}

export const exportCsv = (request: OperationRequest<'audit.csv'>): Promise<ConsoleResult> =>
  exportAudit(request, csvType, auditCsv)

export const exportJson = (request: OperationRequest<'audit.json'>): Promise<ConsoleResult> =>
  exportAudit(request, jsonType, auditJson)

async function exportAudit(
  request: OperationRequest<'audit.csv' | 'audit.json'>,
  type: string,
  format: (pages: AsyncIterable<AuditEntry[]>) => AsyncIterable<string>,
): Promise<ConsoleResult> {
  const { app, parameters } = request
  const filter = readFilter(parameters)
  const { actor } = request.session()
  await noteExport(app, actor, { resource: 'audit', format: type === csvType ? 'csv' : 'json' })
  return download(request, { name: 'audit', type }, format(everyAudit(app.database, actor.companyId, filter)))
}

function readFilter(given: OperationRequest<'audit.csv'>['parameters']): AuditFilter {
  const { action, records } = given
  if (records !== undefined && !auditKinds.includes(records as AuditKind))
    throw invalidParameter('records', `is ${quoteText(records)}; it must be one of ${auditKinds.join(', ')}`)
  return {
    actorId: readInteger('actor', given.actor, 1, idMax),
    action,
    records: records as AuditKind | undefined,
    from: readDayOrMoment('from', given.from)?.begins,
    before: readDayOrMoment('to', given.to)?.ends,
  }
}
