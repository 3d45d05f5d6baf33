import {
  hasCitus,
  type PlacedTable,
  placedTables,
  placements,
  type ServerRow,
  settingsOnServers,
} from '#sql/citus/doctor.ts'
import type { Database } from '../store/database.ts'
import { planSettings } from '../store/session.ts'
import { type Check, failCheck, passCheck, warnCheck } from './check-folder.ts'

/** Tables with data of companies that every server has a full copy of. */
const onEveryServer = ['logins']

/** Checks how Citus distributes companies, and for causes that keep a statement from going to one server. */
export async function checkDistribution(database: Database): Promise<Check[]> {
  const [citus] = await database.read<{ version: string }>(hasCitus())
  if (!citus) return []
  const tables = await database.read<PlacedTable>(placedTables())
  const servers = await database.read<ServerRow>(placements())
  return [
    checkServers(citus.version, servers),
    checkTables(tables),
    checkSettings(await database.read(settingsOnServers())),
  ]
}

function checkServers(version: string, servers: readonly ServerRow[]): Check {
  const says = `Citus ${version}: ${servers.map(({ name, companies }) => `${name} with ${companies} of the parts of companies`).join(', ')}`
  const inactive = servers.filter(({ is_active }) => !is_active).map(({ name }) => name)
  if (inactive.length > 0)
    return failCheck(
      'distribution',
      `${inactive.join(', ')} is not active: bring it back, or move its shards to another server.`,
    )
  const empty = servers.filter(({ companies }) => companies === 0).map(({ name }) => name)
  if (servers.length === 0)
    return failCheck('distribution', `${says}no server that takes companies: add one by citus_add_node.`)
  if (empty.length > 0)
    return warnCheck('distribution', `${says}: ${empty.join(', ')} has none; citus_rebalance_start() moves some there.`)
  return passCheck('distribution', says)
}

function checkTables(tables: readonly PlacedTable[]): Check {
  const strays = tables.filter(
    ({ name, is_of_companies, kind, together }) =>
      is_of_companies && (onEveryServer.includes(name) ? kind !== 'reference' : kind !== 'distributed' || !together),
  )
  const named = (which: (table: PlacedTable) => boolean) => tables.filter(which).map(({ name }) => name)
  const says = [
    `${named(({ kind }) => kind === 'distributed').length} tables are distributed by company`,
    `${named(({ kind }) => kind === 'reference').join(', ')} on every server`,
    `${named(({ kind }) => kind === 'local').join(', ')} on the coordinator`,
  ].join('; ')
  if (strays.length === 0) return passCheck('routing', says)
  return warnCheck(
    'routing',
    `statements that name ${strays.map(({ name }) => name).join(', ')} are not routed to one server, because that is not kept with its company: run "plumbline migrate". ${says}`,
  )
}

function checkSettings(servers: readonly { name: string; success: boolean; settings: string }[]): Check {
  const silent = servers.filter(({ success }) => !success).map(({ name }) => name)
  if (silent.length > 0)
    return failCheck('servers', `${silent.join(', ')} does not answer: its companies get 503 until it does.`)
  const lacking = servers.filter(({ settings }) =>
    planSettings.some((wanted) => !settings.toLowerCase().includes(wanted.toLowerCase())),
  )
  if (lacking.length === 0)
    return passCheck('servers', `${servers.length} answer, each with the settings that statements need`)
  return failCheck(
    'servers',
    `${lacking.map(({ name }) => name).join(', ')} lacks settings that statements need: run "plumbline migrate" as the user of DATABASE_URL.`,
  )
}
