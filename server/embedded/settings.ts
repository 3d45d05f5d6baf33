import { port } from './socket.ts'

/**
 * How PostgreSQL is started. On its command line, where neither a file in the cluster nor ALTER SYSTEM can weaken it:
 * what was answered is on the disk.
 */
export const settings = (cluster: string, socketFolder: string): string[] => [
  '-D',
  cluster,
  ...Object.entries({ ...fixed, unix_socket_directories: quoted(socketFolder) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]),
]

const fixed = {
  listen_addresses: '',
  port,
  unix_socket_permissions: '0700',
  max_connections: 200,
  shared_buffers: '256MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
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
const quoted = (path: string): string => `"${path.replaceAll('"', '""')}"`
