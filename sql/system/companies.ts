import type { Sql } from 'sql-template-tag'
import type { AgentSettings } from '#registry/agents.ts'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import { query, type Statement, sql, statement } from '../statement.ts'

export type CompanyRow = {
  id: number
  name: string
  currency: string
  plan: SubscriptionPlan
  add_ons: string[]
  is_demo: boolean
  time_zone: string
}

const companyColumns = sql`id, name, currency, plan, add_ons, is_demo, time_zone`

export const insertCompany = (company: Omit<CompanyRow, 'id'>): Statement =>
  statement(sql`insert into companies (name, currency, plan, add_ons, is_demo)
    values (${company.name}, ${company.currency}, ${company.plan}, ${company.add_ons}, ${company.is_demo})
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

export const updateCompany = ({ id, name, currency, plan, add_ons }: CompanyRow): Statement =>
  statement(sql`update companies set name = ${name}, currency = ${currency}, plan = ${plan}, add_ons = ${add_ons}
    where id = ${id} returning ${companyColumns}`)

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
