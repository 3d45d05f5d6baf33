import { join } from 'sql-template-tag'
import { registry } from '#registry/resources/index.ts'
import { equalKey, inOrderOf, liveWith } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'
import { uniqueFields } from './columns.ts'

/** Live records of a company with an equal value of a unique field, which only an upgrade leaves. */
export type EqualRecordsRow = { company_id: number; records: string; field: string; ids: string[] }

/** Reads them from those that the upgrade told apart. */
export const equalRecords = (most: number): Statement => {
  const each = registry.flatMap((definition) =>
    uniqueFields(definition).map((field) => {
      const [table, column] = [identifier(definition.name), identifier(field)]
      return sql`select r.company_id, ${definition.name}::text as records, ${field}::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from ${table} where twin_id is not null ${inOrderOf(sql`company_id`, sql`twin_id`)}
      ) r cross join lateral ${liveWith(definition.name, sql`r.company_id`, field, sql`r.${column}`)} other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, ${equalKey(sql`r.${column}`)}`
    }),
  )
  return query('records.twins')`${join(each, ' union all ')} order by company_id, records, field, ids limit ${most}`
}
