import { connect } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { type Line, openRelay, type Way } from '../../proof/relay.ts'
import type { Server } from './postgres.ts'

type DelayedLine = Line & { last: { [way in Way]: Promise<void> } }

/** Milliseconds by which a chunk is late at most: as much as between two machines that are near each other. */
const delayMsMax = 5

/** Opens a way to a server by TCP on which each chunk is late by a random time. Returns the server behind it. */
export async function openDelayingRelay(server: Server): Promise<{ server: Server; close(): Promise<void> }> {
  const { host, port } = server
  const far = () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host))
  const relay = await openRelay<DelayedLine>(
    (near) => ({ near, far: far(), last: { database: Promise.resolve(), service: Promise.resolve() } }),
    ({ last }, way, act) => {
      last[way] = last[way].then(() => after(delayMsMax * Math.random())).then(act)
    },
  )
  return { server: { ...server, host: '127.0.0.1', port: relay.port }, close: relay.close }
}
