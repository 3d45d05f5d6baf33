import type { AuditEntry } from '#derive/console/responses.ts'
import { invalidParameter, quoteText, readInteger } from '#derive/query.ts'
import { idMax } from '#registry/limits.ts'
import {
  type AuditFilter,
  type AuditKind,
  type AuditRow,
  auditKinds,
  countAudit,
  listAudit,
} from '#sql/system/audit.ts'
import { jsonType } from '../pipeline/response.ts'
import { auditCsv, auditJson, everyAudit, formatEntry } from '../service/audit.ts'
import { noteExport } from '../service/export-records.ts'
import { csvType, download } from './export.ts'
import type { ConsoleResult, Handlers, OperationRequest } from './operation-request.ts'
import { readDayOrMoment, readPage, rowsOf } from './read-parameters.ts'

/** Settings, Audit: a page of the audit log, or all of it as a file. */

export const audit = {
  async 'audit.list'(request) {
    const page = readPage(request.parameters)
    const filter = readFilter(request.parameters)
    const { companyId } = request.session().actor
    const [rows, count] = [listAudit(companyId, filter, page), countAudit(companyId, filter)]
    const { data, meta } = await rowsOf<AuditRow>(request, page, rows, count)
    return { data: data.map(formatEntry), meta }
  },

  'audit.csv': (request) => exportAudit(request, csvType, auditCsv),

  'audit.json': (request) => exportAudit(request, jsonType, auditJson),
} satisfies Partial<Handlers>

async function exportAudit(
  request: OperationRequest<'audit.csv' | 'audit.json'>,
  type: string,
  format: (pages: AsyncIterable<AuditEntry[]>) => AsyncIterable<string>,
): Promise<ConsoleResult> {
  const { app, parameters } = request
  const filter = readFilter(parameters)
  const { actor } = request.session()
  await noteExport(app.database, actor, { resource: 'audit', format: type === csvType ? 'csv' : 'json' })
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
