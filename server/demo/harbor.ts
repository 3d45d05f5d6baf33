import type { CompanyRow } from '#derive/queries/office.ts'
import { addOns } from '#registry/add-ons.ts'
import type { JsonObject } from '#registry/json.ts'
import { permission, permissions } from '#registry/permissions.ts'
import { createAccount, setAccount } from '../service/account.ts'
import { operator } from '../service/actor.ts'
import { createCompany } from '../service/company.ts'
import { issueToken } from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import type { World } from '../world.ts'
import { type Calendar, calendarFrom } from './calendar.ts'
import { type Hand, handOf } from './hand.ts'
import { contracts, equipmentLogBodies, type Ids, invoices, taskBodies, timeEntryBodies } from './harbor/books.ts'
import { blocked, type Client, clientBodies, clients, contactBodies } from './harbor/clients.ts'
import { equipmentBodies } from './harbor/equipment.ts'
import { estimates } from './harbor/estimates.ts'
import { clientCategories, equipmentCategories, projectCategories, type Trade, trades } from './harbor/lists.ts'
import { projectBodies, projects } from './harbor/projects.ts'
import { subcontractorBodies, subcontractors } from './harbor/subcontractors.ts'
import { crew, crewTradeAt, foremen, managers, workerBodies } from './harbor/workers.ts'
import { bookkeeper, demoOwners, foreman } from './people.ts'

/** Harbor Masonry: a mason’s firm in the middle of its work, with everything switched on. */
export async function makeHarbor(transaction: Transaction, { clock, secret }: World): Promise<CompanyRow> {
  const company = await createCompany(transaction, {
    name: 'Harbor Masonry',
    plan: 'PRO',
    addOns,
    currency: 'USD',
    isDemo: true,
  })
  await makeAccounts(transaction, company.id, secret)
  await makeRecords(handOf(transaction, company.id), calendarFrom(clock.now()))
  return company
}

const ofRecords = (...records: string[]): string[] =>
  permissions.filter((code) => records.some((name) => code.startsWith(`${name.toUpperCase()}_`)))

async function makeAccounts(transaction: Transaction, companyId: number, secret: string): Promise<void> {
  const ada = await createAccount(transaction, companyId, { ...demoOwners[0], permissions })
  await issueToken(transaction, operator(companyId), secret, {
    accountId: ada.id,
    label: 'Demo',
    scopes: 'all',
    allowlist: [],
  })
  await createAccount(transaction, companyId, {
    ...bookkeeper,
    permissions: ofRecords('clients', 'contacts', 'estimates', 'invoices'),
  })

  // Femi ran projects once, and has lost the right to change them.
  const held = ofRecords('projects', 'workers', 'equipment', 'tasks', 'time_entries', 'equipment_logs')
  const femi = await createAccount(transaction, companyId, { ...foreman, permissions: held })
  const left = held.filter((code) => code !== permission('projects', 'EDIT'))
  await setAccount(transaction, companyId, femi.id, { permissions: left })
}

async function makeRecords(hand: Hand, calendar: Calendar): Promise<void> {
  const tradeId = byName<Trade>(
    trades,
    await hand.make(
      'trades',
      trades.map((name) => ({ name })),
    ),
  )
  const category = async <Name extends string>(kind: string, names: readonly Name[]) =>
    byName<Name>(
      names,
      await hand.make(
        'categories',
        names.map((name) => ({ name, kind })),
      ),
    )

  const chiefs = await hand.make(
    'workers',
    workerBodies({ names: managers, tradeAt: () => 'Site manager', tradeId, supervisors: [], before: 0 }, calendar),
  )
  const leads = await hand.make(
    'workers',
    workerBodies({ names: foremen, tradeAt: () => 'Foreman', tradeId, supervisors: chiefs, before: 3 }, calendar),
  )
  const crewBodies = workerBodies(
    { names: crew, tradeAt: crewTradeAt, tradeId, supervisors: leads, before: 7 },
    calendar,
  )
  const crewIds = await hand.make('workers', crewBodies)
  const atWork = crewIds.filter((_, index) => crewBodies[index]?.status === undefined)

  const clientIds = await hand.make('clients', clientBodies(await category('client', clientCategories)))
  const clientId = byName<Client>(
    clients.map(([name]) => name),
    clientIds,
  )
  await hand.make('contacts', contactBodies(clientIds))

  const references = {
    clientId,
    categoryId: await category('project', projectCategories),
    managerIds: [...chiefs, ...leads],
  }
  const projectIds = await hand.make('projects', projectBodies(references, calendar))
  // Only now: a blocked client gets no new project.
  await hand.change('clients', [[clientId(blocked.client), { status: 'BLOCKED', notes: blocked.notes }]])

  const subcontractorIds = await hand.make('subcontractors', subcontractorBodies(tradeId, calendar))
  const pieces = equipmentBodies(
    {
      categoryId: await category('equipment', equipmentCategories),
      projectIds: projectIds.filter((_, index) => projects[index]?.status === 'ACTIVE'),
      workerIds: atWork,
      rentalIds: subcontractorIds.filter((_, index) => subcontractors[index]?.[1] === 'Equipment rental'),
    },
    calendar,
  )
  const ids: Ids = {
    clientId,
    projects: projectIds,
    estimates: await makeEstimates(hand, clientId, projectIds, calendar),
    crew: atWork,
    subcontractors: subcontractorIds,
    equipment: await hand.make('equipment', pieces),
  }
  await hand.make('tasks', taskBodies(ids))
  await hand.make('time_entries', timeEntryBodies(ids, calendar))
  await hand.make(
    'equipment_logs',
    equipmentLogBodies(
      ids,
      pieces.map(({ project_id }) => project_id as number | null),
      calendar,
    ),
  )
  await makePapers(hand, ids, calendar)
}

/** Every estimate was a draft, then sent, then answered, and its history says so. */
async function makeEstimates(
  hand: Hand,
  clientId: (client: Client) => number,
  projectIds: readonly number[],
  calendar: Calendar,
): Promise<number[]> {
  const all = estimates(clientId, projectIds, calendar)
  const ids = await hand.make(
    'estimates',
    all.map(({ body }) => body),
  )
  const become = (wanted: (status: string) => boolean, next: (status: string) => JsonObject) =>
    hand.change(
      'estimates',
      all.flatMap(({ status }, index) => (wanted(status) ? [[ids[index] as number, next(status)] as const] : [])),
    )
  await become(
    (status) => status !== 'DRAFT',
    () => ({ status: 'SENT' }),
  )
  await become(
    (status) => status !== 'DRAFT' && status !== 'SENT',
    (status) => ({ status }),
  )
  return ids
}

/** Invoices and contracts, which also come to their state step by step. */
async function makePapers(hand: Hand, ids: Ids, calendar: Calendar): Promise<void> {
  for (const [kind, papers, middle] of [
    ['invoices', invoices(ids, calendar), 'ISSUED'],
    ['contracts', contracts(ids, calendar), 'SIGNED'],
  ] as const) {
    const made = await hand.make(
      kind,
      papers.map(({ body }) => body),
    )
    const withIds = papers.map(({ status }, index) => ({ status, id: made[index] as number }))
    const beyond = withIds.filter(({ status }) => status !== 'DRAFT')
    await hand.change(
      kind,
      beyond.map(({ id }) => [id, { status: middle }] as const),
    )
    await hand.change(
      kind,
      beyond.filter(({ status }) => status !== middle).map(({ id, status }) => [id, { status }] as const),
    )
  }
}

/** The id that belongs to a name. */
export function byName<Name extends string>(names: readonly Name[], ids: readonly number[]): (name: Name) => number {
  const known = new Map(names.map((name, index) => [name, ids[index]]))
  return (name) => {
    const id = known.get(name)
    if (id === undefined) throw new Error(`the demo has no ${name}`)
    return id
  }
}
