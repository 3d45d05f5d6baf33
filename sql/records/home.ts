import { inOrderOf, inState, liveOf } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'

/** The overview that an owner sees in the morning: one statement a part, each over the live records of the company. */

export const projectsByStatus = (companyId: number): Statement =>
  query('home.projects')`select status, count(*) as count from (
      select status from projects where company_id = ${companyId} and deleted_at is null
      ${inOrderOf(sql`status`, sql`id`)}
    ) r group by status`

export const estimatesWaiting = (companyId: number): Statement =>
  query('home.estimates')`select count(*) as count, coalesce(sum(total_minor), 0)::float8 as total_minor
    from ${inState('estimates', companyId, 'SENT')} r`

export type DueRow = { id: number; name: string; on: string; count: number }

/** Reads the first active subcontractors whose insurance or licence has ended, or ends within this many days. */
export const expiringSubcontractors = (
  companyId: number,
  column: 'insurance_expires_on' | 'license_expires_on',
  until: string,
  most: number,
): Statement =>
  dueItems(
    sql`select id, name, ${identifier(column)} as on_day from ${inState('subcontractors', companyId, 'ACTIVE')} r`,
    until,
    most,
    `home.${column}`,
  )

/** Reads equipment that is to be serviced by then, except retired equipment. */
export const serviceDue = (companyId: number, until: string, most: number): Statement =>
  dueItems(
    sql`select id, name, next_service_on as on_day from ${liveOf('equipment', companyId)} r where status <> 'RETIRED'`,
    until,
    most,
    'home.service',
  )

export const hoursToApprove = (companyId: number): Statement =>
  query('home.hours')`select count(*) as count, coalesce(sum(hours), 0)::float8 as hours
    from ${inState('time_entries', companyId, 'DRAFT')} r`

export const draftInvoices = (companyId: number): Statement =>
  query('home.invoices')`select count(*) as count from ${inState('invoices', companyId, 'DRAFT')} r`

const dueItems = (of: ReturnType<typeof sql>, until: string, most: number, name: string): Statement =>
  query(name)`select id, name, on_day::text as "on", count(*) over () as count from (${of}) due
    where on_day <= ${until}::date order by on_day, id limit ${most}`
