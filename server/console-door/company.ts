import { isPlain } from '../config/reach.ts'
import { setCompany, showCompany } from '../service/company.ts'
import { noteCompany } from '../service/office-note.ts'
import type { Asked, ConsoleRoute } from './asked.ts'
import { readParameters } from './paging.ts'
import { readMembers } from './read-members.ts'
import { ok } from './reply.ts'

/** Settings, Company. `is_plain`: what is sent to the service crosses a network unencrypted. */
export const companyRoutes: ConsoleRoute[] = [
  { id: 'company.fetch', method: 'GET', path: '/console/company', needs: 'COMPANY_MANAGE', answer: fetch },
  { id: 'company.update', method: 'PATCH', path: '/console/company', needs: 'COMPANY_MANAGE', answer: update },
]

async function fetch(asked: Asked) {
  readParameters(asked, [])
  const { companyId } = asked.session().actor
  const { is_demo: _, ...company } = await asked.world.database.transaction((transaction) =>
    showCompany(transaction, companyId),
  )
  return ok({ ...company, is_plain: isPlain(asked.world.config) })
}

async function update({ body, change }: Asked) {
  const { add_ons, ...wanted } = readMembers(await body(), {
    name: 'text?',
    currency: 'text?',
    plan: 'text?',
    add_ons: 'texts?',
  })
  const { is_demo: _, ...company } = await change(async (transaction, { actor }) => {
    const before = await showCompany(transaction, actor.companyId)
    const after = await setCompany(transaction, actor.companyId, { ...wanted, ...(add_ons ? { addOns: add_ons } : {}) })
    await noteCompany(transaction, actor, before, after)
    return showCompany(transaction, actor.companyId)
  })
  return ok(company)
}
