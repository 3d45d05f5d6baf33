import { isPlain } from '../config/exposure.ts'
import { amountsIn, setCompany, showCompany } from '../service/company.ts'
import type { OperationRequest } from './operation-request.ts'

/** Settings, Company. What the company pays for, its plan and its add-ons, is the operator's to change. */

export const fetch = ({ app, read }: OperationRequest<'company.fetch'>) =>
  read(async (transaction, companyId) => {
    const { is_demo: _, ...company } = await showCompany(transaction, companyId)
    const amounts = await amountsIn(transaction, companyId)
    return { data: { ...company, amounts_in: amounts, is_plain: isPlain(app.config) } }
  })

export async function update({ body, change }: OperationRequest<'company.update'>) {
  const wanted = await body()
  return change(
    async (transaction, { actor }) => {
      await setCompany(transaction, actor.companyId, wanted, actor)
      const { is_demo: _, ...company } = await showCompany(transaction, actor.companyId)
      return { data: company }
    },
    { isRevocation: true },
  )
}
