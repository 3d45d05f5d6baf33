import { exactOrNull, marginOf, visibleSums } from '#derive/sums.ts'
import { Refusal } from '#registry/refusals.ts'
import { type StoredSumsRow, sumsOfRecords } from '#sql/records/sums.ts'
import { recordId } from '../protocol/path-id.ts'
import type { Handlers } from './operation-request.ts'

/** Tells the sums of a record that the session may see, each with the rights of what it adds. Decisions, Sums. */
export const sums: Handlers['records.sums'] =
  ({ fetch: { definition } }) =>
  async (request) => {
    const { companyId, lacksRights } = request.session().actor
    const names = visibleSums(definition, lacksRights)
    const statement = sumsOfRecords(companyId, definition, names, [recordId(request)])
    const [row] = await request.app.database.read<StoredSumsRow>(statement)
    if (!row) throw new Refusal('not_found')
    const values = Object.fromEntries(Object.entries(row.sums).map(([name, sum]) => [name, exactOrNull(sum)]))
    const margin = marginOf(definition, values)
    return { data: { sums: values, ...(margin === undefined ? {} : { margin_minor: margin }) } }
  }
