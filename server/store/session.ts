import type { Limits } from './database.ts'

/**
 * Set for the session, so that it holds on any server: a client that is gone frees its locks within half a second
 * even while a statement of it waits, and nothing waits for ever. A statement is planned once a connection, so its plan
 * must hold for every company and at every size: by the index that its text asks for (`sql/access.ts`), however
 * small the tables are while it is made, and alone, however large, because starting other processes takes longer than
 * answering.
 */
export const sessionOptions = ({ statementTimeout, lockTimeout }: Limits): string =>
  [
    ...planSettings,
    `statement_timeout=${statementTimeout}`,
    `lock_timeout=${lockTimeout}`,
    'idle_in_transaction_session_timeout=60000',
    'plan_cache_mode=force_generic_plan',
  ]
    .map((option) => `-c ${option}`)
    .join(' ')

/** Those that every server needs, also one behind a coordinator. */
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
