import { type Calendar, statesTo } from '../seeder.ts'
import type { Client } from './clients.ts'
import type { ProjectCategory } from './lists.ts'
import { offerOf } from './prices.ts'
import { type Project, projects } from './projects.ts'

type Status = 'DRAFT' | 'SENT' | 'ACCEPTED' | 'REJECTED' | 'EXPIRED'

type LooseEstimate = readonly [
  title: string,
  client: Client,
  category: ProjectCategory,
  days: number,
  status: Status,
  issued: number,
]

const looseEstimates: readonly LooseEstimate[] = [
  ['Customs house cornice', 'Gull Harbor Port Authority', 'Restoration', 70, 'DRAFT', -1],
  ['Cemetery wall, north side', 'Saltmarsh Town Council', 'Retaining wall', 55, 'DRAFT', -2],
  ['Show house fireplace', 'Larkin & Vale Architects', 'Chimney', 18, 'DRAFT', -3],
  ['Spa wing facade', 'Penhallow Hotels', 'Facade', 85, 'DRAFT', -4],
  ['Slipway paving', 'Coveside Marina', 'Paving', 35, 'DRAFT', -6],
  ['Bike shed block walls', 'Harrow Hill Academy', 'New build', 20, 'DRAFT', -6],
  ['Beer garden walls', 'Northlight Brewing', 'Retaining wall', 25, 'SENT', -8],
  ['Signal box repointing', 'Greywater Rail Museum', 'Restoration', 40, 'SENT', -11],
  ['Roof terrace paving', 'Maple Street Condominiums', 'Paving', 30, 'SENT', -13],
  ['Oil house chimney', 'Lighthouse Trust of Cape Ansel', 'Chimney', 22, 'SENT', -19],
  ['Lund garden steps', 'Dorothea Lund', 'Paving', 12, 'SENT', -21],
  ['Warehouse fire wall', 'Pier Nine Cannery', 'New build', 60, 'REJECTED', -64],
  ['Mews entrance arch', 'Larkin & Vale Architects', 'Facade', 35, 'REJECTED', -88],
  ['Playground retaining wall', 'Eastferry School District', 'Retaining wall', 45, 'REJECTED', -132],
  ['Thorne chimney', 'Abigail Thorne', 'Chimney', 16, 'REJECTED', -150],
  ['Ice house vault', 'Millbrook Preservation Society', 'Restoration', 65, 'EXPIRED', -97],
  ['Pharmacy shopfront', 'Tidewater Medical Group', 'Facade', 28, 'EXPIRED', -104],
  ['Car court paving', 'Stone Quay Housing Association', 'Paving', 50, 'EXPIRED', -141],
  ['Okonkwo garden room', 'Cyrus Okonkwo', 'New build', 30, 'EXPIRED', -163],
  ['Records room fire wall', 'Bellweather Insurance', 'New build', 38, 'EXPIRED', -190],
]

/** Returns the state of a project's estimate. */
const statusOf = ({ status, start }: Project): Status =>
  status === 'CANCELLED' ? 'REJECTED' : status !== 'BIDDING' ? 'ACCEPTED' : start > 50 ? 'DRAFT' : 'SENT'

/** Returns one estimate for each project, in their order, and then the loose ones. All begin as drafts. */
export function estimates(clientId: (client: Client) => number, projectIds: readonly number[], calendar: Calendar) {
  const dates = (issued: number) => ({ issue_date: calendar.workday(issued), valid_until: calendar.day(issued + 60) })
  const ofProjects = projects.map((project, index) => ({
    states: statesTo(statusOf(project), 'SENT'),
    body: {
      title: project.name,
      client_id: clientId(project.client),
      project_id: projectIds[index] as number,
      ...dates(project.status === 'BIDDING' ? -index % 14 : project.start - 30),
      ...offerOf(project),
    },
  }))
  const others = looseEstimates.map(([title, client, category, days, status, issued]) => ({
    states: statesTo(status, 'SENT'),
    body: { title, client_id: clientId(client), ...dates(issued), ...offerOf({ category, days }) },
  }))
  return [...ofProjects, ...others]
}
