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
 * Returns the settings of memory. Pages get a quarter of it, as PostgreSQL's manual advises. The system's file cache
 * and the service have the rest. The upper bound limits the table of pages, a fortieth of that, allocated at the start.
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

/** Returns the size of the log. It has a tenth of a small disk, which the usual gigabyte would fill. */
function sizeLog(diskMegabytes: number): Settings {
  if (diskMegabytes >= smallDiskMegabytes) return {}
  const most = Math.max(Math.floor(diskMegabytes / 10), logMegabytesMin)
  return { max_wal_size: `${most}MB`, min_wal_size: `${Math.min(most, 80)}MB` }
}

const smallDiskMegabytes = 10_000
/** Two segments: PostgreSQL does not start with less. */
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
  // A random page costs hardly more than the next one on a solid state disk and in memory.
  random_page_cost: 1.1,
  // Totals and deep pages need index-only scans, which need a recent vacuum. So it runs after a twentieth of a table
  // has changed instead of a fifth, and without the usual minute of delay, in which a first import is already done.
  autovacuum_naptime: '5s',
  autovacuum_vacuum_scale_factor: 0.05,
  autovacuum_vacuum_insert_scale_factor: 0.05,
  autovacuum_analyze_scale_factor: 0.05,
  // Releases the locks of a dead client within a second.
  client_connection_check_interval: '500ms',
  timezone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'plumbline',
  // One file for each day of the week, which is emptied a week later.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: 0,
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
  // Logs events of PostgreSQL itself. A refused statement is reported to its sender alone: its text may have customers'
  // data, and many of them would fill the disk.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
} as const

/** Quotes an item of a list separated by commas. In double quotes a path may have any character. */
const quoteListItem = (path: string): string => `"${path.replaceAll('"', '""')}"`

/** Returns the bytes of memory of this machine, or of its container if that has less. */
export function readMemoryBytes(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(totalmem(), allowed) : totalmem()
}
