import { raw } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { type Statement, sql, statement } from '../statement.ts'
import { columnsOf } from './columns.ts'

/** Reads the resources of which a company has a record with an amount, live or deleted. */
export function resourcesWithAmounts(companyId: number, records: readonly Definition[]): Statement {
  const [first, ...others] = records.flatMap((definition) => {
    const amounts = amountsOf(definition)
    return amounts.length === 0 ? [] : [{ name: definition.name, amounts: amounts.join(' or ') }]
  })
  const kind = ({ name, amounts }: NonNullable<typeof first>) =>
    sql`select ${raw(`'${name}'`)} as records where exists (
      select from ${raw(name)} where company_id = ${companyId} and (${raw(amounts)})
    )`
  if (!first) throw new Error('no kind of record has amounts')
  return statement(
    others.reduce((all, each) => sql`${all} union all ${kind(each)}`, kind(first)),
    'companies.amounts',
  )
}

const amountsOf = (definition: Definition): string[] =>
  columnsOf(definition).flatMap(([column, field]) => kindOf(field).amount?.(column) ?? [])
