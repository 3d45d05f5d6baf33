import { byKeys, inOrderOf } from '../access.ts'
import { query, type Statement, sql } from '../statement.ts'

/** Invoices that an earlier version made PAID without a payment: more of them is to be paid than is. */
const isWithoutPayment = sql`r.status = 'PAID' and r.paid_minor < r.total_minor`

/** Reads the ids of invoices that are PAID without a payment. */
export const invoicesPaidBefore = (companyId: number, most: number, after: number): Statement =>
  query('invoices.paid-before')`
    select r.id from (
      select * from invoices where company_id = ${companyId} and id > ${after} and deleted_at is null ${inOrderOf(sql`id`)}
    ) r where ${isWithoutPayment} order by r.id limit ${most}`

/** The payment of an invoice. */
export type MadeUpPayment = { invoice_id: number; paid_on: string; amount_minor: number }

/**
 * Locks those of the invoices that are PAID without a payment, and returns the payment of each: the whole amount, on the day of
 * its step in the history, or else of its last change. Days are those of the company.
 */
export const paymentsOfBefore = (companyId: number, ids: readonly number[]): Statement =>
  query('invoices.payments-of-before')`
    select r.id as invoice_id, r.total_minor as amount_minor, (coalesce(paid.at, r.updated_at) at time zone (
        select time_zone from companies where id = ${companyId}
      ))::date::text as paid_on
    from ${byKeys('invoices', companyId, ids, 'for no key update')}
    left join lateral (
      select max(at) as at from history h
      where h.company_id = ${companyId} and h.records = 'invoices' and h.record_id = r.id
        and h.changes -> 'status' ->> 1 = 'PAID'
    ) paid on true
    where ${isWithoutPayment} and r.deleted_at is null`
