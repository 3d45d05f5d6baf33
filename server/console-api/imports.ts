import { listNeededRights } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import { permission } from '#registry/permissions.ts'
import { createResponse, replyOf } from '../pipeline/response.ts'
import { readAcceptedDoubts } from '../protocol/headers.ts'
import { importBatch, ownImport } from '../records/import-batch.ts'
import { needFieldRights } from '../records/rights.ts'
import { beginImport, extendImport, listImports, lookUpValues } from '../service/imports.ts'
import { needPermission } from '../service/session.ts'
import { refusalContext, writeHeaders } from './batch.ts'
import type { AdmittedRequest, RecordsHandler } from './operation-request.ts'
import { createWholeList } from './response.ts'

/**
 * Import. The browser parses the file. These operations look up its values, and run its batches as dry-runs and writes.
 */

export const lookUp: RecordsHandler<'records.look-up'> =
  ({ list: { definition } }) =>
  async ({ body, read, session }) => {
    const request = await body()
    const field = Object.hasOwn(definition.fields, request.field) ? definition.fields[request.field] : undefined
    const to = referenceOf(field)?.to ?? definition.name
    needFieldRights(session().actor, listNeededRights(definition, [request.field]))
    needPermission(session(), permission(to, 'VIEW'))
    return createWholeList(
      await read((transaction, companyId) => lookUpValues(transaction, companyId, definition, request)),
    )
  }

export const list: RecordsHandler<'records.imports'> =
  ({ list: { definition } }) =>
  async ({ read, session, parameters }) => {
    const { actor } = session()
    return createWholeList(
      await read((transaction) => listImports(transaction, actor, definition, parameters.fingerprint)),
    )
  }

export const begin: RecordsHandler<'records.begin-import'> =
  ({ list: { definition } }) =>
  async ({ body, change }) => {
    const { file_name, ...given } = await body()
    const records = definition.name
    return change(async (transaction, { actor }) => {
      const named = { ...given, records, file_name: file_name.slice(0, nameMax) }
      return { data: { write_id: await beginImport(transaction, actor, named) } }
    })
  }

const nameMax = 200

export const extend: RecordsHandler<'records.extend-import'> =
  ({ list: { definition } }) =>
  async (request) => {
    const writeId = await admitAuthor(request, definition)
    const extension = await request.body()
    return request.change(async (transaction, { actor }) => {
      await extendImport(transaction, actor, definition, { ...extension, writeId })
      return { data: { write_id: writeId } }
    })
  }

export const batch: RecordsHandler<'records.import'> =
  ({ list: { definition } }) =>
  async (request) => {
    const writeId = await admitAuthor(request, definition)
    const { operations, ...rows } = await request.body()
    const accepts = readAcceptedDoubts(request.request.rawHeaders)
    const { ifPlan } = request.headers
    return request.change(async (transaction, { actor }) => {
      const part = { ...rows, writeId }
      const batch = { definition, operations, part, ifPlan, call: refusalContext(request) }
      const result = await importBatch(request.app, transaction, { ...actor, accepts }, batch)
      return replyOf(createResponse(200, result.data, writeHeaders(result.writeId)))
    })
  }

/** Returns the id of the import. Throws, before its large body is received, if the account has begun no such import. */
async function admitAuthor({ id = '', read, session }: AdmittedRequest, definition: Definition): Promise<string> {
  const { actor } = session()
  await read((transaction) => ownImport(transaction, actor, definition, id))
  return id
}
