import type { Sql } from 'sql-template-tag'
import type { AgentSettings } from '#registry/agents.ts'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import { type Statement, sql, statement } from '../statement.ts'

export type CompanyRow = {
  id: number
  name: string
  currency: string
  plan: SubscriptionPlan
  add_ons: string[]
  is_demo: boolean
}

const companyColumns = sql`id, name, currency, plan, add_ons, is_demo`

export const insertCompany = (company: Omit<CompanyRow, 'id'>): Statement =>
  statement(sql`insert into companies (name, currency, plan, add_ons, is_demo)
    values (${company.name}, ${company.currency}, ${company.plan}, ${company.add_ons}, ${company.is_demo})
    returning ${companyColumns}`)

export const findCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id}`)

/** Every company, for the operator alone. */
export const listCompaniesById = (): Statement =>
  statement(sql`select ${companyColumns} from companies order by id`, 'companies.list')

/** Waits for every transaction that holds the plan, and holds it against new ones. */
export const lockCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for no key update`)

/** The same, and waits for every record that is being written: each keeps the company from being locked so. */
export const lockCompanyWhole = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for update`)

export const updateCompany = ({ id, name, currency, plan, add_ons }: CompanyRow): Statement =>
  statement(sql`update companies set name = ${name}, currency = ${currency}, plan = ${plan}, add_ons = ${add_ons}
    where id = ${id} returning ${companyColumns}`)

/** Keeps an erasure of a person waiting, as every record that is written does. */
export const shareCompany = (id: number): Statement =>
  statement(sql`select id from companies where id = ${id} for key share`, 'companies.share')

/**
 * Whether a moment is after the last erasure of a person of the company. That is noted as of its begin, it commits within
 * a minute, and the clocks of processes differ by less than another.
 */
export const isAfterErasure = (at: Sql, erasedAt: Sql): Sql =>
  sql`coalesce(${at} > ${erasedAt} + interval '2 minutes', true)`

/** Whether agents may reach a company, and what they need a person for. */

export type AgentsRow = { agents: AgentSettings | null }

export const selectAgents = (companyId: number): Statement =>
  statement(sql`select agents from companies where id = ${companyId}`, 'agents.settings')

/** Holds them: of two who change them the second sees what the first has set. */
export const holdAgents = (companyId: number): Statement =>
  statement(sql`select agents from companies where id = ${companyId} for no key update`, 'agents.hold')

export const updateAgents = (companyId: number, settings: AgentSettings | null): Statement =>
  statement(
    sql`update companies set agents = ${settings && JSON.stringify(settings)}::jsonb where id = ${companyId}`,
    'agents.update',
  )
