import { registry } from '#registry/resources/index.ts'

/** Live records whose last change the log does not have at the time that the record has: `updated_since` would miss them. */
export async function recordsWithoutLogTime(sql: (text: string) => Promise<unknown[]>): Promise<unknown[]> {
  const each = registry.map(
    ({ name }) => `select '${name}' as records, r.company_id, r.id from ${name} r
      where r.deleted_at is null and not exists (
        select from history h where h.company_id = r.company_id and h.records = '${name}' and h.record_id = r.id and h.at = r.updated_at
      )`,
  )
  return sql(each.join(' union all '))
}
