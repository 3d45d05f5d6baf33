import type { Plan } from '#registry/plans.ts'
import { type Statement, sql, statement } from '../statement.ts'

export type CompanyRow = { id: number; name: string; currency: string; plan: Plan; add_ons: string[]; is_demo: boolean }

const companyColumns = sql`id, name, currency, plan, add_ons, is_demo`

export const insertCompany = (company: Omit<CompanyRow, 'id'>): Statement =>
  statement(sql`insert into companies (name, currency, plan, add_ons, is_demo)
    values (${company.name}, ${company.currency}, ${company.plan}, ${company.add_ons}, ${company.is_demo})
    returning ${companyColumns}`)

export const findCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id}`)

/** Waits for every transaction that holds the plan, and holds it against new ones. */
export const lockCompany = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for no key update`)

/** The same, and waits for every record that is being written: each keeps the company from being locked so. */
export const lockCompanyWhole = (id: number): Statement =>
  statement(sql`select ${companyColumns} from companies where id = ${id} for update`)

export const updateCompany = ({ id, name, currency, plan, add_ons }: CompanyRow): Statement =>
  statement(sql`update companies set name = ${name}, currency = ${currency}, plan = ${plan}, add_ons = ${add_ons}
    where id = ${id} returning ${companyColumns}`)
