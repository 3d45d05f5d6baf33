import { dayIn } from '#derive/company-day.ts'
import { checkRecord } from '#derive/input.ts'
import { formatName } from '#derive/words.ts'
import { company } from '#registry/company.ts'
import { isObject, isSameJson, type Json, type JsonObject } from '#registry/json.ts'
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
  type CompanyFields,
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

/** A company: its fields, plan and add-ons. */
export type Company = CompanyRow & { usage: { records: string; used: number; limit: number | null }[] }

/** The changes of a company. `fields` are those of `registry/company.ts`, which are checked as a record's are. */
export type CompanyInput = { fields?: Json; plan?: string; addOns?: readonly string[] }

/** Creates a company. Without a plan it has STARTER, without add-ons the API. */
export async function createCompany(
  transaction: Transaction,
  { isDemo = false, ...input }: CompanyInput & { isDemo?: boolean },
): Promise<CompanyRow> {
  const start = { id: 0, plan: 'STARTER' as SubscriptionPlan, add_ons: ['api'], is_demo: isDemo, logo: null }
  const [row] = await transaction.run<CompanyRow>(insertCompany(checkCompany(start, null, input)))
  if (!row) throw new Error('the company was not inserted')
  await recount(transaction, row.id)
  return row
}

/** Changes the given members. A lower plan keeps records. Counters are corrected while no record can be created. */
export async function setCompany(
  transaction: Transaction,
  id: number,
  input: CompanyInput,
  actor: Actor = operator(id),
): Promise<CompanyRow> {
  await transaction.run(closeGate(id))
  const setsCurrency = isObject(input.fields) && 'currency' in input.fields
  const [before] = await transaction.run<CompanyRow>((setsCurrency ? lockCompanyWhole : lockCompany)(id))
  if (!before) throw noCompany(id)
  const wanted = checkCompany(before, before, input)
  if (wanted.currency !== before.currency) await refuseIfAmounts(transaction, before)
  const [after] = await transaction.run<CompanyRow>(updateCompany(wanted))
  await recount(transaction, id)
  await auditChange(transaction, actor, 'companies', [before, after as CompanyRow])
  return after as CompanyRow
}

export async function showCompany(transaction: Transaction, id: number): Promise<Company> {
  const [found] = await transaction.run<CompanyRow>(findCompany(id))
  if (!found) throw noCompany(id)
  const usage = []
  for (const { name } of limitedResources) {
    const [row] = await transaction.run<{ used: number }>(countLive(id, name))
    usage.push({ records: name, used: row?.used ?? 0, limit: planLimit(found.plan, name) })
  }
  return { ...found, usage }
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

/** Returns the company as it would be. A field that is sent as it is stored is no change: a withdrawn currency stays. */
function checkCompany(
  terms: Pick<CompanyRow, 'id' | 'plan' | 'add_ons' | 'is_demo' | 'logo'>,
  before: CompanyFields | null,
  { fields = {}, plan, addOns: wanted }: CompanyInput,
): CompanyRow {
  const changes = isObject(fields) && before ? pickChanges(fields, before) : fields
  const { record, problems } = checkRecord(company, changes, before, {
    today: () => dayIn(before?.time_zone ?? 'UTC', new Date()),
  })
  const refuse = (field: string, message: string) => problems.push({ field, code: 'not_allowed', message })
  if (plan !== undefined && !planNames.includes(plan as SubscriptionPlan))
    refuse('plan', `must be one of ${planNames.join(', ')}`)
  const strange = wanted?.find((addOn) => !addOns.includes(addOn as AddOn))
  if (strange !== undefined) refuse('add_ons', `has ${JSON.stringify(strange)}; there are ${addOns.join(', ')}`)
  if (problems.length > 0) throw invalidFields(problems)
  return {
    ...terms,
    ...(record as CompanyFields),
    plan: (plan as SubscriptionPlan | undefined) ?? terms.plan,
    add_ons: wanted ? addOns.filter((addOn) => wanted.includes(addOn)) : terms.add_ons,
  }
}

const pickChanges = (fields: JsonObject, before: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isSameJson(value, before[name])))
