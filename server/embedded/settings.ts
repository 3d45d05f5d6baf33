import { totalmem } from 'node:os'

/** A part of the socket's name: PostgreSQL does not listen on the network. */
export const port = 5432

/** Bytes of memory, and of the disk that the cluster is on. */
export type MachineSize = { memory: number; disk: number }

/**
 * Returns the arguments that start PostgreSQL on a machine of this size. Neither a file in the cluster nor ALTER SYSTEM
 * can weaken settings of the command line, so that every answered write is on the disk.
 */
export const createServerArguments = (
  cluster: string,
  socketFolder: string,
  size: MachineSize,
  more: Settings = {},
): string[] => [
  '-D',
  cluster,
  ...Object.entries({
    ...fixedSettings,
    ...sizeSettings(size),
    unix_socket_directories: quoteListItem(socketFolder),
    ...more,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]

export type Settings = { readonly [name: string]: string | number }

/**
 * Pages get a quarter of the memory, as PostgreSQL's manual advises; the system's file cache and the service have the
 * rest. The table of pages takes a fortieth of that at the start, hence the upper bound.
 */
function sizeSettings({ memory, disk }: MachineSize): Settings {
  const megabytes = Math.floor(memory / 2 ** 20)
  const pages = Math.min(Math.max(Math.floor(megabytes / 4), pagesMin), pagesMax)
  return {
    shared_buffers: `${pages}MB`,
    effective_cache_size: `${Math.max(Math.floor(megabytes / 2), pages)}MB`,
    ...sizeLog(Math.floor(disk / 2 ** 20)),
  }
}

/** On a small disk the log of changes has a tenth of it: with the usual gigabyte it alone would fill the disk. */
function sizeLog(diskMegabytes: number): Settings {
  if (diskMegabytes >= smallDiskMegabytes) return {}
  const most = Math.max(Math.floor(diskMegabytes / 10), logMegabytesMin)
  return { max_wal_size: `${most}MB`, min_wal_size: `${Math.min(most, 80)}MB` }
}

const smallDiskMegabytes = 10_000
/** Two segments, below which PostgreSQL does not start. */
const logMegabytesMin = 32

const pagesMin = 64
const pagesMax = 2048

const fixedSettings = {
  listen_addresses: '',
  port,
  unix_socket_permissions: '0700',
  max_connections: 200,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // A page elsewhere on the disk costs hardly more than the next one: neither a solid state disk nor memory has a head.
  random_page_cost: 1.1,
  // Totals and pages far down are read from indexes alone where a vacuum has seen the records: after a twentieth of a
  // table has changed instead of a fifth, and soon after: a first import is done within a minute.
  autovacuum_naptime: '5s',
  autovacuum_vacuum_scale_factor: 0.05,
  autovacuum_vacuum_insert_scale_factor: 0.05,
  autovacuum_analyze_scale_factor: 0.05,
  // A dead client's locks are free again within a second.
  client_connection_check_interval: '500ms',
  timezone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'plumbline',
  // A week of files, each emptied when its day comes round again.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: 0,
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
  // What PostgreSQL itself goes through. A refused statement is told to the one who sent it, and is not repeated here:
  // its text may hold customers' words, and a flood of them would fill the disk.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
} as const

/** A list separated by commas; in double quotes a path may hold anything. */
const quoteListItem = (path: string): string => `"${path.replaceAll('"', '""')}"`

/** Bytes that this machine has, or that its container may use where that is less. */
export function readMemoryBytes(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(totalmem(), allowed) : totalmem()
}
