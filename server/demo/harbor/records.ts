import { type Calendar, finder, type Seeder } from '../seeder.ts'
import { contracts, equipmentLogBodies, invoices, taskBodies, timeEntryBodies } from './books.ts'
import { blockedClient, type Client, clientBodies, clients, contactBodies } from './clients.ts'
import { equipmentBodies } from './equipment.ts'
import { estimates } from './estimates.ts'
import { clientCategories, equipmentCategories, projectCategories, type Trade, trades } from './lists.ts'
import { projectBodies, projects } from './projects.ts'
import { subcontractorBodies, subcontractors } from './subcontractors.ts'
import { crew, crewTradeAt, foremen, managers, workerBodies } from './workers.ts'

/** Every resource, each after those it refers to. */
export async function createRecords(seeder: Seeder, calendar: Calendar): Promise<void> {
  const tradeId = await seeder.makeNamed<Trade>('trades', trades)
  const workers = await createWorkers(seeder, tradeId, calendar)
  const clientId = await createClients(seeder)
  const projectIds = await createProjects(seeder, clientId, workers.leads, calendar)
  const subcontractorIds = await seeder.make('subcontractors', subcontractorBodies(tradeId, calendar))

  const pieces = equipmentBodies(
    {
      categoryId: await seeder.makeNamed('categories', equipmentCategories, { kind: 'equipment' }),
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
    estimates: await seeder.makeDocuments('estimates', estimates(clientId, projectIds, calendar)),
    equipment: await seeder.make('equipment', pieces),
  }
  const pieceProjects = pieces.map(({ project_id }) => project_id as number | null)
  await seeder.make('tasks', taskBodies(ids))
  await seeder.make('time_entries', timeEntryBodies(ids, calendar))
  await seeder.make('equipment_logs', equipmentLogBodies(ids, pieceProjects, calendar))
  await seeder.makeDocuments('invoices', invoices(ids, calendar))
  await seeder.makeDocuments('contracts', contracts(ids, calendar))
}

async function createWorkers(seeder: Seeder, tradeId: (trade: Trade) => number, calendar: Calendar) {
  const first = workerBodies(
    { names: managers, tradeAt: () => 'Site manager', tradeId, supervisors: [], before: 0 },
    calendar,
  )
  const chiefs = await seeder.make('workers', first)
  const second = workerBodies(
    { names: foremen, tradeAt: () => 'Foreman', tradeId, supervisors: chiefs, before: managers.length },
    calendar,
  )
  const heads = await seeder.make('workers', second)
  const before = managers.length + foremen.length
  const third = workerBodies({ names: crew, tradeAt: crewTradeAt, tradeId, supervisors: heads, before }, calendar)
  const ids = await seeder.make('workers', third)
  return { leads: [...chiefs, ...heads], atWork: ids.filter((_, index) => third[index]?.status === undefined) }
}

async function createClients(seeder: Seeder): Promise<(client: Client) => number> {
  const categoryId = await seeder.makeNamed('categories', clientCategories, { kind: 'client' })
  const ids = await seeder.make('clients', clientBodies(categoryId))
  await seeder.make('contacts', contactBodies(ids))
  const names = clients.map(([name]) => name)
  return finder<Client>(names, ids)
}

async function createProjects(
  seeder: Seeder,
  clientId: (client: Client) => number,
  managerIds: readonly number[],
  calendar: Calendar,
): Promise<number[]> {
  const categoryId = await seeder.makeNamed('categories', projectCategories, { kind: 'project' })
  const ids = await seeder.make('projects', projectBodies({ clientId, categoryId, managerIds }, calendar))
  // Only now: a blocked client gets no new project.
  await seeder.change('clients', clientId(blockedClient.client), { status: 'BLOCKED', notes: blockedClient.notes })
  return ids
}
