import { isPlain } from '../config/exposure.ts'
import { auditCompany } from '../service/audit-log.ts'
import { setCompany, showCompany } from '../service/company.ts'
import type { Asked } from './asked.ts'

/** Settings, Company. */

export async function fetch({ app, session }: Asked<'company.fetch'>) {
  const { companyId } = session().actor
  const { is_demo: _, ...company } = await app.database.transaction((transaction) =>
    showCompany(transaction, companyId),
  )
  return { data: { ...company, is_plain: isPlain(app.config) } }
}

export async function update({ body, change }: Asked<'company.update'>) {
  const { add_ons, ...wanted } = await body()
  const { is_demo: _, ...company } = await change(async (transaction, { actor }) => {
    const before = await showCompany(transaction, actor.companyId)
    const after = await setCompany(transaction, actor.companyId, { ...wanted, ...(add_ons ? { addOns: add_ons } : {}) })
    await auditCompany(transaction, actor, before, after)
    return showCompany(transaction, actor.companyId)
  })
  return { data: company }
}
