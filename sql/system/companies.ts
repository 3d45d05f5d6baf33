import { join, raw, type Sql } from 'sql-template-tag'
import type { AgentSettings } from '#registry/agents.ts'
import { company } from '#registry/company.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json } from '#registry/json.ts'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import { parameter } from '../parameter.ts'
import { query, type Statement, sql, statement } from '../statement.ts'

/** The values of the fields of `registry/company.ts`. */
export type CompanyFields = { [field in NeededField]: string } & {
  [field in Exclude<keyof typeof company.fields, NeededField>]: Json
}
type NeededField = 'name' | 'currency' | 'time_zone'

export type CompanyRow = CompanyFields & {
  id: number
  plan: SubscriptionPlan
  add_ons: string[]
  is_demo: boolean
  /** The SHA-256 of its logo, in hexadecimal. */
  logo: string | null
}

const fields: readonly [string, Field][] = Object.entries(company.fields)
const names = fields.map(([name]) => name)
const companyColumns = raw(
  `id, plan, add_ons, is_demo, logo_hash as logo, ${fields.map(([name, field]) => (kindOf(field).column(field) === 'numeric' ? `${name}::float8` : name)).join(', ')}`,
)

/** Returns the values of the fields as parameters, in the order of the definition. */
const valuesOf = (row: CompanyFields): Sql[] =>
  fields.map(([name, field]) => parameter(field, row[name as keyof CompanyFields]))

export const insertCompany = (row: Omit<CompanyRow, 'id' | 'logo'>): Statement =>
  statement(sql`insert into companies (plan, add_ons, is_demo, ${raw(names.join(', '))})
    values (${row.plan}, ${row.add_ons}, ${row.is_demo}, ${join(valuesOf(row))})
    returning ${companyColumns}`)

export const findCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id}`)

/** Reads every company, for the operator alone. */
export const listCompaniesById = (): Statement =>
  query('companies.list')`select ${companyColumns} from companies order by id`

/** Locks a company. Waits for every transaction that holds the lock of its plan, and blocks new ones. */
export const lockCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for no key update`)

/** Locks a company like `lockCompany`, and also waits for every write of a record: each shares the company's row. */
export const lockCompanyWhole = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for update`)

export const updateCompany = (row: CompanyRow): Statement =>
  statement(sql`update companies set plan = ${row.plan}, add_ons = ${row.add_ons},
      (${raw(names.join(', '))}) = row(${join(valuesOf(row))})
    where id = ${row.id} returning ${companyColumns}`)

export const selectTimeZone = (id: number): Statement =>
  query('companies.time-zone')`select time_zone from companies where id = ${id}`

/** Makes an erasure of a person wait, as every write of a record does. */
export const shareCompany = (id: number): Statement =>
  query('companies.share')`select id from companies where id = ${id} for key share`

/**
 * Returns whether a moment is after the last erasure of a person of the company. The erasure is stored with the time of
 * its begin. It commits within a minute, and the clocks of processes differ by less than another minute.
 */
export const isAfterErasure = (at: Sql, erasedAt: Sql): Sql =>
  sql`coalesce(${at} > ${erasedAt} + interval '2 minutes', true)`

/** The settings of agents of a company: whether they have access, and which changes need the approval of a person. */

export type AgentsRow = { agents: AgentSettings | null }

export const selectAgents = (companyId: number): Statement =>
  query('agents.settings')`select agents from companies where id = ${companyId}`

/** Locks and reads the settings, so that the second of two changes sees the first. */
export const holdAgents = (companyId: number): Statement =>
  query('agents.hold')`select agents from companies where id = ${companyId} for no key update`

export const updateAgents = (companyId: number, settings: AgentSettings | null): Statement =>
  query('agents.update')`
    update companies set agents = ${settings && JSON.stringify(settings)}::jsonb where id = ${companyId}`

/** Selects the next companies by their ids. */
export const companiesAfter = (after: number, most: number): Statement =>
  query('companies.after')`select id from companies where id > ${after} order by id limit ${most}`
