import { transactionTimeoutMs } from './bounds.ts'
import type { Limits } from './database.ts'

/**
 * Returns the settings of a session, which then hold on any server. A client that is gone frees its locks within half a
 * second, even while its statement waits, and every wait has a limit.
 * A statement is planned once a connection, so its plan must hold for every company and at every size. It uses the
 * index that its text asks for (`sql/access.ts`), however small the tables are during planning. It runs without
 * parallel workers: starting them takes longer than answering.
 */
export const sessionOptions = ({ statementTimeout, lockTimeout }: Limits): string =>
  [
    ...planSettings,
    ...serverKeepAlives,
    `statement_timeout=${statementTimeout}`,
    `lock_timeout=${lockTimeout}`,
    `idle_in_transaction_session_timeout=${transactionTimeoutMs({ statementTimeout })}`,
    'plan_cache_mode=force_generic_plan',
  ]
    .map((option) => `-c ${option}`)
    .join(' ')

/** Settings that every server needs, also one behind a coordinator. */
export const planSettings = [
  'timezone=UTC',
  'datestyle=ISO',
  'client_connection_check_interval=500',
  'enable_seqscan=off',
  'enable_sort=off',
  'enable_memoize=off',
  'jit=off',
  'max_parallel_workers_per_gather=0',
]

/**
 * The server ends the session of a process that is wholly cut off: after 25 s, or 20 s after it sent something
 * unacknowledged. These have no effect on a Unix socket.
 */
const serverKeepAlives = [
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=20000',
]

/** Keepalive of the client, for an idle connection, which has no deadline. */
export const clientKeepAlives = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const
