import { readDryRun } from '#derive/query.ts'
import { createResponse, errorsAddress, replyOf, writeIdHeader } from '../pipeline/response.ts'
import { readAcceptedDoubts } from '../protocol/headers.ts'
import type { RefusalContext } from '../records/batch.ts'
import { runRecordsBatch } from '../records/records-batch.ts'
import type { AdmittedRequest, RecordsHandler } from './operation-request.ts'

/** Several operations on records of one resource, all or none. */
export const batch: RecordsHandler<'records.batch'> =
  ({ list: { definition } }) =>
  async (request) => {
    const { app, headers, parameters } = request
    const isDry = [readDryRun(headers.dryRun, 'X-Dry-Run'), readDryRun(parameters.dry_run, 'dry_run')]
    const accepts = readAcceptedDoubts(request.request.rawHeaders)
    const { operations } = await request.body()
    const dryRun = isDry.includes(true)
    const wanted = { definition, operations, dryRun, ifPlan: headers.ifPlan, call: refusalContext(request) }
    return request.change(
      async (transaction, { actor }) => {
        const { data, ...outcome } = await runRecordsBatch(app, transaction, { ...actor, accepts }, wanted)
        return replyOf({ ...createResponse(200, data, writeHeaders(dryRun ? undefined : actor.writeId)), ...outcome })
      },
      { isPreview: dryRun },
    )
  }

/** Returns what the refusal of an operation names. */
export const refusalContext = ({ app, requestId }: AdmittedRequest): RefusalContext => ({
  requestId,
  errorsPage: errorsAddress(app.config.publicUrl),
})

/** Returns the header with the id of a write; none if nothing was written. */
export const writeHeaders = (writeId: string | undefined): { readonly [name: string]: string } =>
  writeId === undefined ? {} : { [writeIdHeader]: writeId }
