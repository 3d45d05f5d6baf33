import { raw, type Sql } from 'sql-template-tag'
import { referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { exactly, inOrderOf } from '../access.ts'
import type { Prefetch } from '../prefetch.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'
import type { CallerAsk } from '../system/caller.ts'
import { fetchedWithCaller } from './read.ts'

/** Records by the identifier that the caller has for them. Capitals do not count, and deleted records have given it up. */

/** Anyone who writes by one reference of a company does so alone, whether there is a record or not. */
export const lockReference = (companyId: number, { name }: Definition, value: string): Prefetch => ({
  name: `${name}.lock-reference`,
  query: sql`select true as locked from (
      select pg_advisory_xact_lock(hashtextextended(${companyId}::text || ' ' || ${name} || ' ' || lower(${value}::text), 0))
    ) locked`,
})

/** The live record with a reference, held; it has the reference still when it has been waited for. */
export const holdByReference = (companyId: number, { name }: Definition, value: string, lock: string): Statement =>
  statement(
    sql`${byReference('id, version', { companyId, records: name, value })} ${raw(lock)}`,
    `${name}.by-reference.${lock}`,
  )

export const fetchByReference = (ask: CallerAsk, definition: Definition, value: string, fields?: string[]): Statement =>
  statement(
    fetchedWithCaller(
      { ...ask, id: sql`(${byReference('id', { companyId: ask.companyId, records: definition.name, value })})` },
      definition,
      fields,
    ),
    fields ? undefined : `${definition.name}.fetch-by-reference`,
  )

const reference = sql`lower(${identifier(referenceField)})`

type Asked = { companyId: number; records: string; value: string }

const byReference = (columns: string, { companyId, records, value }: Asked): Sql =>
  sql`select ${raw(columns)} from ${identifier(records)}
    where company_id = ${companyId} and ${exactly(reference, sql`lower(${value}::text)`)} and deleted_at is null
    ${inOrderOf(reference)}`
