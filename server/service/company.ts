import { formatName } from '#derive/words.ts'
import type { Problem } from '#registry/definition.ts'
import { currencies } from '#registry/iso-codes.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import {
  type AddOn,
  addOns,
  isPlanLimited,
  planLimit,
  planNames,
  type SubscriptionPlan,
} from '#registry/subscription.ts'
import { resourcesWithAmounts } from '#sql/records/amounts.ts'
import {
  type CompanyRow,
  findCompany,
  insertCompany,
  lockCompany,
  lockCompanyWhole,
  updateCompany,
} from '#sql/system/companies.ts'
import { closeGate } from '#sql/system/locks.ts'
import { countLive, setSlots } from '#sql/system/quota.ts'
import { type Actor, operator } from '../records/actor.ts'
import type { Transaction } from '../store/database.ts'
import { auditChange } from './audit-log.ts'

/** A company: its name, currency, plan and add-ons. */
export type Company = CompanyRow & { usage: { records: string; used: number; limit: number | null }[] }

export type CompanyInput = { name?: string; currency?: string; plan?: string; addOns?: readonly string[] }

export async function createCompany(
  transaction: Transaction,
  input: CompanyInput & { name: string; isDemo?: boolean },
): Promise<CompanyRow> {
  const start = {
    name: input.name,
    currency: 'USD',
    plan: 'STARTER' as SubscriptionPlan,
    add_ons: ['api'],
    is_demo: input.isDemo ?? false,
    time_zone: 'UTC',
  }
  const wanted = checkCompany({ ...start, id: 0 }, input)
  const [company] = await transaction.run<CompanyRow>(insertCompany(wanted))
  if (!company) throw new Error('the company was not inserted')
  await recount(transaction, company.id)
  return company
}

/** Changes the given members. A lower plan keeps records. Counters are corrected while no record can be created. */
export async function setCompany(
  transaction: Transaction,
  id: number,
  input: CompanyInput,
  actor: Actor = operator(id),
): Promise<CompanyRow> {
  await transaction.run(closeGate(id))
  const lock = input.currency === undefined ? lockCompany : lockCompanyWhole
  const [before] = await transaction.run<CompanyRow>(lock(id))
  if (!before) throw noCompany(id)
  if (input.currency !== undefined && input.currency !== before.currency) await refuseIfAmounts(transaction, before)
  const [after] = await transaction.run<CompanyRow>(updateCompany(checkCompany(before, input)))
  await recount(transaction, id)
  await auditChange(transaction, actor, 'companies', [before, after as CompanyRow])
  return after as CompanyRow
}

export async function showCompany(transaction: Transaction, id: number): Promise<Company> {
  const [company] = await transaction.run<CompanyRow>(findCompany(id))
  if (!company) throw noCompany(id)
  const usage = []
  for (const { name } of limitedResources) {
    const [row] = await transaction.run<{ used: number }>(countLive(id, name))
    usage.push({ records: name, used: row?.used ?? 0, limit: planLimit(company.plan, name) })
  }
  return { ...company, usage }
}

/** Returns the resources that have amounts in the company's currency, also in deleted records that can be restored. */
export async function amountsIn(transaction: Transaction, id: number): Promise<string[]> {
  const rows = await transaction.run<{ records: string }>(resourcesWithAmounts(id, registry))
  return rows.map(({ records }) => records)
}

/** Throws if there are amounts: in another currency they would be other amounts. */
async function refuseIfAmounts(transaction: Transaction, { id, currency }: CompanyRow): Promise<void> {
  const kinds = await amountsIn(transaction, id)
  if (kinds.length === 0) return
  const message = `cannot change any more: there are amounts in ${currency} (${kinds.map(formatName).join(', ')}), which would be read as amounts of the other currency; make a new company for that`
  throw invalidField('currency', 'locked', message)
}

/** Returns the refusal of an unknown company. Only the operator's command can name one. */
export const noCompany = (id: number): Refusal =>
  new Refusal('not_found', { detail: `There is no company ${id}. "plumbline company list" shows them.` })

const limitedResources = registry.filter(({ name }) => isPlanLimited(name))

async function recount(transaction: Transaction, companyId: number): Promise<void> {
  for (const { name } of limitedResources) {
    const [row] = await transaction.run<{ used: number }>(countLive(companyId, name))
    await transaction.run(setSlots(companyId, name, row?.used ?? 0))
  }
}

function checkCompany(before: CompanyRow, { name, currency, plan, addOns: wanted }: CompanyInput): CompanyRow {
  const problems: Problem[] = []
  const refuse = (field: string, message: string) => problems.push({ field, code: 'not_allowed', message })
  const trimmed = name?.trim() ?? before.name
  if (trimmed.length < 1 || [...trimmed].length > 200) refuse('name', 'must be text of 1 to 200 characters')
  // A company keeps its currency, even one that is withdrawn.
  const known = currency === undefined || currency === before.currency || currencies.includes(currency)
  if (!known) refuse('currency', 'must be a code of ISO 4217 like USD')
  if (plan !== undefined && !planNames.includes(plan as SubscriptionPlan))
    refuse('plan', `must be one of ${planNames.join(', ')}`)
  const strange = wanted?.find((addOn) => !addOns.includes(addOn as AddOn))
  if (strange !== undefined) refuse('add_ons', `has ${JSON.stringify(strange)}; there are ${addOns.join(', ')}`)
  if (problems.length > 0) throw invalidFields(problems)
  return {
    ...before,
    name: trimmed,
    currency: currency ?? before.currency,
    plan: (plan as SubscriptionPlan | undefined) ?? before.plan,
    add_ons: wanted ? addOns.filter((addOn) => wanted.includes(addOn)) : before.add_ons,
  }
}
