import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { invoicesPaidBefore, type MadeUpPayment, paymentsOfBefore } from '#sql/records/paid-before.ts'
import type { WriteContext } from '../records/actor.ts'
import { createRecords } from '../records/create.ts'
import { noneLate, outcomeOf, shortSet } from '../records/write-set.ts'

const payments = definitionOf(registry, 'payments') as Definition

/** Makes up the payments of invoices that an earlier version made PAID, which knew of none. */
export const paidBefore = {
  due: invoicesPaidBefore,
  async write({ transaction, actor }: WriteContext, ids: readonly number[]): Promise<void> {
    const rows = await transaction.run<MadeUpPayment>(paymentsOfBefore(actor.companyId, ids))
    if (rows.length === 0) return
    const set = shortSet(transaction, actor, noneLate())
    const made = rows.map((row) => ({ body: { ...row, method: 'OTHER' } }))
    for (const outcome of await createRecords(set, payments, made)) outcomeOf([outcome])
  },
}
