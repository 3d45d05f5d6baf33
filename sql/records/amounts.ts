import { join, raw } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { columnsOf } from './columns.ts'

/** Reads the resources of which a company has a record with an amount, live or deleted. */
export function resourcesWithAmounts(companyId: number, records: readonly Definition[]): Statement {
  const each = records.flatMap((definition) => {
    const { name } = definition
    const amounts = columnsOf(definition).flatMap(([column, field]) => kindOf(field).amount?.(column) ?? [])
    if (amounts.length === 0) return []
    return sql`select ${raw(`'${name}'`)} as records where exists (
      select from ${raw(name)} where company_id = ${companyId} and (${raw(amounts.join(' or '))})
    )`
  })
  return statement(join(each, ' union all '), 'companies.amounts')
}
