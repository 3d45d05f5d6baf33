import type { JsonObject } from '#registry/json.ts'
import { addressOf } from '../places.ts'
import { type Calendar, turn } from '../seeder.ts'
import type { Client } from './clients.ts'
import type { ProjectCategory } from './lists.ts'
import { type Job, priceOf } from './prices.ts'

type ProjectRow = readonly [
  name: string,
  client: Client,
  category: ProjectCategory,
  /** Days from today. */
  start: number,
  /** Duration in days. */
  days: number,
  percent?: number,
]

export type Status = 'ACTIVE' | 'BIDDING' | 'ON_HOLD' | 'COMPLETED' | 'CANCELLED' | 'ARCHIVED'

const byStatus: { readonly [S in Status]: readonly ProjectRow[] } = {
  ACTIVE: [
    ['Quay Street retaining wall', 'Gull Harbor Port Authority', 'Retaining wall', -70, 160, 45],
    ['Harbor office facade', 'Gull Harbor Port Authority', 'Facade', -40, 120, 30],
    ['Town hall steps', 'Saltmarsh Town Council', 'Restoration', -25, 60, 40],
    ['Alder Point block C', 'Alder Point Developments', 'New build', -120, 300, 38],
    ['Courtyard paving, Stone Quay', 'Stone Quay Housing Association', 'Paving', -30, 75, 55],
    ['Bell tower repointing', 'Parish of St. Brendan', 'Restoration', -55, 140, 35],
    ['Gymnasium block walls', 'Eastferry School District', 'New build', -45, 150, 25],
    ['Mill race bridge parapet', 'Millbrook Preservation Society', 'Restoration', -20, 90, 15],
    ['Hotel terrace and fireplaces', 'Penhallow Hotels', 'New build', -60, 110, 60],
    ['Brewery boiler house', 'Northlight Brewing', 'New build', -35, 100, 30],
    ['Coveside sea wall, phase 2', 'Coveside Marina', 'Retaining wall', -90, 200, 50],
    ['Keeper’s cottage chimneys', 'Lighthouse Trust of Cape Ansel', 'Chimney', -18, 45, 20],
    ['Thorne garden wall', 'Abigail Thorne', 'Retaining wall', -16, 30, 45],
    ['Maple Street entrance', 'Maple Street Condominiums', 'Facade', -50, 95, 65],
  ],
  BIDDING: [
    ['Fish market arcade', 'Gull Harbor Port Authority', 'Restoration', 30, 120],
    ['Library reading room fireplace', 'Saltmarsh Town Council', 'Chimney', 45, 30],
    ['Alder Point block D', 'Alder Point Developments', 'New build', 60, 280],
    ['Clinic ramp and planters', 'Tidewater Medical Group', 'Paving', 25, 40],
    ['Ferry terminal waiting room', 'Cape Ansel Ferry Company', 'New build', 90, 150],
    ['Engine shed arches', 'Greywater Rail Museum', 'Restoration', 40, 160],
  ],
  ON_HOLD: [
    ['Fennimore gatehouse', 'Fennimore Estates', 'Restoration', -100, 180, 40],
    ['Quarry Road boundary wall', 'Quarry Road Partners', 'Retaining wall', -80, 90, 20],
    ['Lobby stonework', 'Bellweather Insurance', 'Facade', -65, 80, 10],
  ],
  COMPLETED: [
    ['Coveside sea wall, phase 1', 'Coveside Marina', 'Retaining wall', -400, 210],
    ['Alder Point block B', 'Alder Point Developments', 'New build', -420, 330],
    ['Parish hall chimney', 'Parish of St. Brendan', 'Chimney', -160, 40],
    ['Cloister paving', 'Harrow Hill Academy', 'Paving', -200, 90],
    ['Cannery loading dock', 'Pier Nine Cannery', 'New build', -240, 110],
    ['Achard patio', 'Bertrand and Lucille Achard', 'Paving', -120, 25],
    ['Okonkwo chimney', 'Cyrus Okonkwo', 'Chimney', -95, 20],
    ['Lund front steps', 'Dorothea Lund', 'Paving', -85, 15],
    ['Tasting room wall', 'Northlight Brewing', 'Facade', -180, 60],
    ['Parade shopfronts', 'Redfern Property Group', 'Facade', -300, 120],
  ],
  CANCELLED: [
    ['Car park wall', 'Winterbourne Retail', 'Retaining wall', -50, 60],
    ['Unit 7 extension', 'Dunmore Storage', 'New build', -210, 90],
    ['Vargas pool surround', 'Emil Vargas', 'Paving', -75, 20],
  ],
  ARCHIVED: [
    ['Lighthouse base repointing', 'Lighthouse Trust of Cape Ansel', 'Restoration', -700, 150],
    ['Whitlock bay window', 'Frances Whitlock', 'Facade', -650, 25],
    ['Bus shelter row', 'Eastferry School District', 'New build', -600, 80],
    ['Harbor steps', 'Gull Harbor Port Authority', 'Paving', -800, 120],
  ],
}

export type Project = Job & { name: string; client: Client; status: Status; start: number; percent: number }

/** The projects, the oldest first, in the order of their codes. */
export const projects: readonly Project[] = Object.entries(byStatus)
  .flatMap(([status, rows]) => rows.map((row) => projectOf(status as Status, row)))
  .sort((one, other) => one.start - other.start)

function projectOf(status: Status, [name, client, category, start, days, percent]: ProjectRow): Project {
  const done = status === 'COMPLETED' || status === 'ARCHIVED'
  return { name, client, status, category, start, days, percent: percent ?? (done ? 100 : 0) }
}

type References = {
  clientId: (client: Client) => number
  categoryId: (category: ProjectCategory) => number
  managerIds: readonly number[]
}

export const projectBodies = (references: References, calendar: Calendar): JsonObject[] =>
  projects.map((project, index) => ({
    name: project.name,
    code: `HM-${calendar.day(project.start).slice(0, 4)}-${String(index + 1).padStart(3, '0')}`,
    description: `${project.category} for ${project.client}, about ${project.days} days on site.`,
    status: project.status,
    client_id: references.clientId(project.client),
    category_id: references.categoryId(project.category),
    manager_id: turn(references.managerIds, index),
    address: addressOf(index + 5),
    start_date: calendar.workday(project.start),
    end_date: calendar.day(project.start + project.days),
    contract_minor: priceOf(project),
    budget_minor: Math.round(priceOf(project) * 0.82),
    percent_complete: project.percent,
    ...(project.status === 'ON_HOLD' ? { notes: 'Waits for the client’s decision on the stone.' } : {}),
  }))
