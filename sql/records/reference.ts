import type { Sql } from 'sql-template-tag'
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
export const recordOfReference = (companyId: number, { name }: Definition, value: string): Prefetch => ({
  name: `${name}.of-reference`,
  query: () => byReference(`id, ${referenceField} as reference`, { companyId, records: name, value }),
})

export const fetchByReference = (ask: CallerAsk, definition: Definition, value: string, fields?: string[]): Statement =>
  statement(
    fetchedWithCaller(
      { ...ask, id: sql`(${byReference('id', { companyId: ask.companyId, records: definition.name, value })})` },
      definition,
      fields,
    ),
    fields ? undefined : `${definition.name}.fetch-by-reference`,
  )

type ReferenceRequest = { companyId: number; records: string; value: string }

const byReference = (columns: string, { companyId, records, value }: ReferenceRequest): Sql =>
  liveNamed(columns, records, companyId, [referenceField, value])
