import type { FaultScope, NetworkFault } from '../../stage/proxy.ts'
import { type Fault, seconds, stallMs } from './fault.ts'
import type { NetworkTarget } from './targets.ts'

type Row = { title: string; kind: NetworkFault; scope: FaultScope; isReachable: boolean }

const rows: readonly Row[] = [
  {
    title: 'one connection goes silent as it writes',
    kind: 'silent',
    scope: { mark: 'insert', sends: 'commit\0' },
    isReachable: true,
  },
  {
    title: 'one connection commits and hears no answer',
    kind: 'silent to the service',
    scope: { mark: 'insert', sends: 'commit\0' },
    isReachable: true,
  },
  { title: 'all open connections go silent', kind: 'silent', scope: 'open', isReachable: true },
  { title: 'nothing reaches the database', kind: 'silent to the database', scope: 'all', isReachable: false },
  { title: 'nothing reaches the service', kind: 'silent to the service', scope: 'all', isReachable: false },
  { title: 'the network is silent both ways', kind: 'silent', scope: 'all', isReachable: false },
  { title: 'all open connections are reset', kind: 'reset', scope: 'open', isReachable: true },
  { title: 'every connection is refused', kind: 'refused', scope: 'all', isReachable: false },
  { title: 'the network is slow', kind: 'slow', scope: 'all', isReachable: true },
]

/** What can happen between the service and the database. A rotation of the token goes another way to the database. */
export const faultsOfTheNetwork: readonly Fault<NetworkTarget>[] = rows.map(({ title, kind, scope, isReachable }) => ({
  title,
  isReachable,
  // Of a service that is wholly cut off, PostgreSQL itself ends the transactions, after 30 s.
  revokes: isReachable,
  // Longer than D, so that what is bounded by it has to end while the fault lasts.
  lastsMs: stallMs + seconds(2),
  begin: async ({ network }) => {
    network.fail(kind, scope)
    return () => network.heal()
  },
}))
