import type { Calendar } from '../calendar.ts'
import { finder, type Hand } from '../hand.ts'
import { contracts, equipmentLogBodies, invoices, taskBodies, timeEntryBodies } from './books.ts'
import { blocked, type Client, clientBodies, clients, contactBodies } from './clients.ts'
import { equipmentBodies } from './equipment.ts'
import { estimates } from './estimates.ts'
import { clientCategories, equipmentCategories, projectCategories, type Trade, trades } from './lists.ts'
import { projectBodies, projects } from './projects.ts'
import { subcontractorBodies, subcontractors } from './subcontractors.ts'
import { crew, crewTradeAt, foremen, managers, workerBodies } from './workers.ts'

/** Every kind of record, each after those it refers to. */
export async function makeRecords(hand: Hand, calendar: Calendar): Promise<void> {
  const tradeId = await hand.makeNamed<Trade>('trades', trades)
  const workers = await makeWorkers(hand, tradeId, calendar)
  const clientId = await makeClients(hand)
  const projectIds = await makeProjects(hand, clientId, workers.leads, calendar)
  const subcontractorIds = await hand.make('subcontractors', subcontractorBodies(tradeId, calendar))

  const pieces = equipmentBodies(
    {
      categoryId: await hand.makeNamed('categories', equipmentCategories, { kind: 'equipment' }),
      projectIds: projectIds.filter((_, index) => projects[index]?.status === 'ACTIVE'),
      workerIds: workers.atWork,
      rentalIds: subcontractorIds.filter((_, index) => subcontractors[index]?.[1] === 'Equipment rental'),
    },
    calendar,
  )
  const ids = {
    clientId,
    projects: projectIds,
    crew: workers.atWork,
    subcontractors: subcontractorIds,
    estimates: await hand.makePapers('estimates', estimates(clientId, projectIds, calendar)),
    equipment: await hand.make('equipment', pieces),
  }
  const pieceProjects = pieces.map(({ project_id }) => project_id as number | null)
  await hand.make('tasks', taskBodies(ids))
  await hand.make('time_entries', timeEntryBodies(ids, calendar))
  await hand.make('equipment_logs', equipmentLogBodies(ids, pieceProjects, calendar))
  await hand.makePapers('invoices', invoices(ids, calendar))
  await hand.makePapers('contracts', contracts(ids, calendar))
}

async function makeWorkers(hand: Hand, tradeId: (trade: Trade) => number, calendar: Calendar) {
  const first = workerBodies(
    { names: managers, tradeAt: () => 'Site manager', tradeId, supervisors: [], before: 0 },
    calendar,
  )
  const chiefs = await hand.make('workers', first)
  const second = workerBodies(
    { names: foremen, tradeAt: () => 'Foreman', tradeId, supervisors: chiefs, before: managers.length },
    calendar,
  )
  const heads = await hand.make('workers', second)
  const before = managers.length + foremen.length
  const third = workerBodies({ names: crew, tradeAt: crewTradeAt, tradeId, supervisors: heads, before }, calendar)
  const ids = await hand.make('workers', third)
  return { leads: [...chiefs, ...heads], atWork: ids.filter((_, index) => third[index]?.status === undefined) }
}

async function makeClients(hand: Hand): Promise<(client: Client) => number> {
  const categoryId = await hand.makeNamed('categories', clientCategories, { kind: 'client' })
  const ids = await hand.make('clients', clientBodies(categoryId))
  await hand.make('contacts', contactBodies(ids))
  const names = clients.map(([name]) => name)
  return finder<Client>(names, ids)
}

async function makeProjects(
  hand: Hand,
  clientId: (client: Client) => number,
  managerIds: readonly number[],
  calendar: Calendar,
): Promise<number[]> {
  const categoryId = await hand.makeNamed('categories', projectCategories, { kind: 'project' })
  const ids = await hand.make('projects', projectBodies({ clientId, categoryId, managerIds }, calendar))
  // Only now: a blocked client gets no new project.
  await hand.change('clients', clientId(blocked.client), { status: 'BLOCKED', notes: blocked.notes })
  return ids
}
