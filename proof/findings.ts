/** A fault of the service that a run has found and that is mended, with the test that fails without the mend. */
export type Finding = { foundBy: string; found: string; now: string; test: string }

export const findings: readonly Finding[] = [
  {
    foundBy: 'messages',
    found: 'Where two calls took a place in the feed at one moment, one was refused or got a cursor that led nowhere.',
    now: 'Both get a cursor that can go on.',
    test: 'test/http/changes.test.ts',
  },
  {
    foundBy: 'faults, an early failover',
    found:
      'A connection opened to a standby before its promotion wrote on in the epoch of the former primary: followers could miss changes.',
    now: 'It is refused until the promotion.',
    test: 'test/http/faults.test.ts',
  },
  {
    foundBy: 'faults of a Citus cluster',
    found:
      'A rollback could be skipped together with the statement before it: the connection stayed in the transaction, and a late step ran outside of any.',
    now: 'A rollback is a message of its own, after which nothing of its transaction is done.',
    test: 'test/cluster/rollback.test.ts',
  },
  {
    foundBy: 'faults of disks and files',
    found: 'A disk that fails or became read-only was answered 500.',
    now: '503 with `Retry-After`.',
    test: 'test/http/faults.test.ts',
  },
  {
    foundBy: 'load, the postmaster and a session killed at once',
    found:
      'Sessions that waited for a lock of the dead one never ended, held the shared memory, and the bundled PostgreSQL did not start again.',
    now: 'They are ended a second later, and it starts.',
    test: 'test/embedded/keep-running.test.ts',
  },
]
