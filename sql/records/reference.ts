import { referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { liveNamed } from '../access.ts'
import { type Prefetch, type Statement, sql, statement } from '../statement.ts'
import type { CallerAsk } from '../system/caller.ts'
import { fetchedWithCaller } from './read.ts'

/** Records by their external references. Capitals do not count, and deleted records have given theirs up. */

/**
 * Selects the live record with a reference, without a lock: it is locked by its id and read again. A statement after
 * the lock of the value sees the record as the last holder of that lock left it.
 */
export const recordOfReference = (companyId: number, definition: Definition, value: string): Prefetch => ({
  name: `${definition.name}.of-reference`,
  of: definition,
  values: { companyId, target: value },
  query: (given) =>
    liveNamed(`id, ${referenceField} as reference`, definition.name, given.companyId, [referenceField, given.target]),
})

export function fetchByReference(ask: CallerAsk, definition: Definition, value: string, fields?: string[]): Statement {
  const { name } = definition
  const id = sql`(${liveNamed('id', name, ask.companyId, [referenceField, value])})`
  return statement(
    fetchedWithCaller({ ...ask, id }, definition, fields),
    fields ? undefined : `${name}.fetch-by-reference`,
  )
}
