import { isPlain } from '../config.ts'
import { setCompany, showCompany } from '../service/company.ts'
import { noteCompany } from '../service/office-note.ts'
import type { Asked } from './asked.ts'

/** Settings, Company. */

export async function fetch({ world, session }: Asked<'company.fetch'>) {
  const { companyId } = session().actor
  const { is_demo: _, ...company } = await world.database.transaction((transaction) =>
    showCompany(transaction, companyId),
  )
  return { data: { ...company, is_plain: isPlain(world.config) } }
}

export async function update({ body, change }: Asked<'company.update'>) {
  const { add_ons, ...wanted } = await body()
  const { is_demo: _, ...company } = await change(async (transaction, { actor }) => {
    const before = await showCompany(transaction, actor.companyId)
    const after = await setCompany(transaction, actor.companyId, { ...wanted, ...(add_ons ? { addOns: add_ons } : {}) })
    await noteCompany(transaction, actor, before, after)
    return showCompany(transaction, actor.companyId)
  })
  return { data: company }
}
