import type { HomeFigures, LosingItem } from '#derive/console/responses.ts'
import { isFinal, statusOf } from '#derive/form/relations.ts'
import { seesMargin } from '#derive/sums.ts'
import { addDays } from '#registry/fields/day.ts'
import { type HistoryRow, recentHistory } from '#sql/records/history.ts'
import {
  type DueRow,
  draftInvoices,
  estimatesWaiting,
  expiringSubcontractors,
  hoursToApprove,
  projectsByStatus,
  serviceDue,
} from '#sql/records/home.ts'
import { type LosingRow, losingRecords } from '#sql/records/sums.ts'
import type { Statement } from '#sql/statement.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import { waitingFor } from './agents.ts'
import { placedLine } from './history.ts'
import type { Handlers, OperationRequest } from './operation-request.ts'
import { findViewable } from './removals.ts'

const noticeDays = { expiringDocuments: 30, service: 14 }
const itemsMax = 5
const recentMax = 10

export const home = {
  /** Returns the first page: the open tasks, each part only for accounts that may see its records. */
  async home(request) {
    const resources = findViewable(request.session())
    const today = request.today()
    const mayView = (name: string) => resources.some((resource) => resource.name === name)
    const data = await request.read(async (transaction, companyId) => {
      const parts: Promise<HomeFigures>[] = [
        ...(mayView('projects') ? [projects(transaction, companyId)] : []),
        ...(mayView('estimates') ? [part(transaction, 'estimates_waiting', estimatesWaiting(companyId))] : []),
        ...(mayView('subcontractors') ? [expiringDocuments(today, transaction, companyId)] : []),
        ...(mayView('equipment') ? [service(today, transaction, companyId)] : []),
        ...(mayView('time_entries') ? [part(transaction, 'hours_to_approve', hoursToApprove(companyId))] : []),
        ...(mayView('invoices') ? [part(transaction, 'draft_invoices', draftInvoices(companyId))] : []),
        losing(request, transaction, resources),
        agentPreviews(request, transaction, companyId),
        ...(resources.length > 0 ? [readRecent(transaction, request.session(), resources)] : []),
      ]
      return Object.assign({}, ...(await Promise.all(parts))) as HomeFigures
    })
    return { data }
  },
} satisfies Partial<Handlers>

/** Counts the previews of agents that this account may decide on. */
async function agentPreviews(
  { app, session }: OperationRequest<'home'>,
  transaction: Transaction,
  companyId: number,
): Promise<HomeFigures> {
  const waiting = await waitingFor(transaction, companyId, session(), app.config)
  return waiting.length === 0 ? {} : { agent_previews: { count: waiting.length, items: waiting.slice(0, itemsMax) } }
}

async function part({ run }: Transaction, name: keyof HomeFigures, statement: Statement): Promise<HomeFigures> {
  const [row] = await run(statement)
  return { [name]: row }
}

async function projects({ run }: Transaction, companyId: number) {
  const rows = await run<{ status: string; count: number }>(projectsByStatus(companyId))
  return { projects_by_status: Object.fromEntries(rows.map(({ status, count }) => [status, count])) }
}

async function expiringDocuments(today: string, { run }: Transaction, companyId: number) {
  const until = addDays(today, noticeDays.expiringDocuments)
  const [insurance, licences] = await Promise.all([
    run<DueRow>(expiringSubcontractors(companyId, 'insurance_expires_on', until, itemsMax)),
    run<DueRow>(expiringSubcontractors(companyId, 'license_expires_on', until, itemsMax)),
  ])
  return {
    expiring: {
      until,
      insurance: insurance.map(item),
      insurance_count: countOf(insurance),
      licences: licences.map(item),
      licences_count: countOf(licences),
    },
  }
}

async function service(today: string, { run }: Transaction, companyId: number) {
  const until = addDays(today, noticeDays.service)
  const rows = await run<DueRow>(serviceDue(companyId, until, itemsMax))
  return { service_due: { until, count: countOf(rows), items: rows.map(item) } }
}

/** Reads the records that lose money, of resources of which the account may see all that counts. */
async function losing(
  { session }: OperationRequest<'home'>,
  { run }: Transaction,
  resources: ReturnType<typeof findViewable>,
): Promise<HomeFigures> {
  const { companyId, lacksRights } = session().actor
  const found = await Promise.all(
    resources
      .filter((definition) => seesMargin(definition, lacksRights))
      .map(async (definition) => {
        const states = (statusOf(definition)?.values ?? []).filter((state) => !isFinal(definition, state))
        const rows = await run<LosingRow>(losingRecords(companyId, definition, { states, most: itemsMax }))
        return { records: definition.name, count: countOf(rows), items: rows.map(losingItem) }
      }),
  )
  const some = found.filter(({ count }) => count > 0)
  return some.length > 0 ? { losing: some } : {}
}

const losingItem = ({ id, title, income_minor, cost_minor, budget_minor }: LosingRow): LosingItem => ({
  ...{ id, name: title },
  margin_minor: Number(income_minor) - Number(cost_minor),
  above_minor: budget_minor === null ? 0 : Math.max(0, Number(cost_minor) - budget_minor),
})

async function readRecent({ run }: Transaction, { actor }: Session, resources: ReturnType<typeof findViewable>) {
  const rows = await run<HistoryRow & { title: string | null }>(recentHistory(actor.companyId, resources, recentMax))
  return { recent: rows.map((row) => placedLine(row, actor.lacksRights)) }
}

const item = ({ id, name, on }: DueRow) => ({ id, name, on })
const countOf = ([first]: readonly { count: number }[]): number => first?.count ?? 0
