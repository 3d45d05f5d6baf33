import type pg from 'pg'
import type { Definition } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { registry } from '#registry/resources/index.ts'
import { columnsOf } from '#sql/records/columns.ts'

/** Inserts rows of the resources that the scenario lacks: in an empty table every index would be equally good. */
export async function fillOthers(client: pg.Client, companies: number): Promise<void> {
  await withoutReferences(client, async () => {
    for (const definition of registry) {
      const { rows } = await client.query(`select from ${definition.name} limit 1`)
      if (rows.length === 0) await client.query(insert(definition, { companies, each: perCompany }))
    }
  })
  await client.query('vacuum (analyze)')
}

const perCompany = 40

/** Runs work without checks of references: the referenced records may be missing, because no statement reads them. */
export async function withoutReferences(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('set session_replication_role = replica')
  await work()
  await client.query('reset session_replication_role')
}

/** Formats the insert of `each` records for the companies 1 … `companies`, with values in all columns of indexes. */
export function insert(definition: Definition, { companies, each }: { companies: number; each: number }): string {
  const columns = columnsOf(definition).flatMap(([name, field]): [string, string][] => {
    const value = expressionOf(field)
    return value === undefined ? [] : [[name, value]]
  })
  return `insert into ${definition.name} (company_id, ${columns.map(([name]) => name).join(', ')})
    select 1 + i % ${companies}, ${columns.map(([, value]) => value).join(', ')}
    from generate_series(1, ${companies * each}) i`
}

/** Returns the value of a column. Undefined for kinds without an index, and for columns with a default. */
function expressionOf(field: Field): string | undefined {
  switch (field.kind) {
    case 'text':
      return `'R' || i`
    case 'email':
      return `'r' || i || '@example.com'`
    case 'choice':
      return `(array['${field.values.join("','")}'])[1 + i / ${perCompany} % ${field.values.length}]`
    case 'reference':
      return `1 + i % 5000`
    case 'date':
      return `date '2024-01-01' + i % 900`
    case 'flag':
      return 'i % 2 = 0'
    case 'lines':
      return `'[]'`
    case 'money':
    case 'decimal':
      return '1'
    case 'integer':
      return String(field.min)
    default:
      return undefined
  }
}
