import { findAcceptable } from '#derive/input.ts'
import { sumsOfDoubts, sumsOfWrites } from '#derive/sums.ts'
import type { Definition, SumValues } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { comparedFields, type SummedRecord, type SumsRow, sumsOfValues } from '#sql/records/sums.ts'
import type { WriteContext } from './actor.ts'
import { lockSums } from './locks.ts'

/**
 * Locks and reads the sums by which records are judged, as the bodies would leave them; `storedAt` returns a record as it
 * is. Returns nothing if no rule, no calculation and no doubt that is asked names a sum.
 */
export async function judgedSums(
  context: WriteContext,
  definition: Definition,
  rows: readonly { body: Json }[],
  storedAt: (place: number) => JsonObject | undefined = () => undefined,
): Promise<readonly SumValues[]> {
  const { transaction, actor } = context
  const { companyId, accepts } = actor
  const names = [...new Set([...sumsOfWrites(definition), ...(accepts ? sumsOfDoubts(definition) : [])])]
  if (names.length === 0) return []
  const fields = comparedFields(definition, names)
  const records = rows.map(({ body }, place): SummedRecord => {
    const stored = storedAt(place) ?? {}
    return Object.fromEntries(fields.map((field) => [field, valueAfter(definition, { body, stored, field })]))
  })
  lockSums(context, definition, records)
  const read = await transaction.run<SumsRow>(sumsOfValues(companyId, definition, names, records))
  const sums = new Map(read.map((row) => [row.place, row.sums]))
  return rows.map((_, place) => sums.get(place) ?? {})
}

/** Returns the value that a field would have. */
const valueAfter = (
  definition: Definition,
  { body, stored, field }: { body: Json; stored: JsonObject; field: string },
): Json =>
  isObject(body) && Object.hasOwn(body, field) && field !== 'id'
    ? findAcceptable(definition, body, field)
    : (stored[field] ?? null)
