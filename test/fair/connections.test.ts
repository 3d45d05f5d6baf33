import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { App } from '#server/http/app.ts'
import { openConnections } from '#server/http/connections.ts'

test('Where there is no more room, the network of IPv6 with most connections loses its oldest idle one, whatever addresses it uses', () => {
  const open = openConnections({
    config: { callersMax: 9, bufferBytes: 1, writeTimeout: 1000 } as App['config'],
    clock: { now: () => new Date(0), elapsed: () => 0 },
    metrics: { connected: () => {}, cut: () => {} } as unknown as App['metrics'],
    log: { debug: () => {} } as unknown as App['log'],
  })
  const closed: string[] = []
  const accept = (remoteAddress: string): Socket => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => void closed.push(remoteAddress) })
    open.accept(socket as unknown as Socket)
    return socket as unknown as Socket
  }
  try {
    const crowd = Array.from({ length: 5 }, (_, host) => accept(`2001:db8:1:2:${host}::1`))
    for (const host of [1, 2, 3, 4]) accept(host < 3 ? '192.0.2.1' : `2001:db8:1:${host}::1`)
    const response = new EventEmitter()
    open.begin(crowd[0] as Socket, response as ServerResponse)
    for (let count = 0; count < 3; count++) accept('198.51.100.7')
    // The busy one stays; then each has two or three, and the largest crowd is that of IPv4.
    expect(closed).toEqual(['2001:db8:1:2:1::1', '2001:db8:1:2:2::1', expect.any(String)])
    response.emit('close')
    expect(closed).not.toContain('2001:db8:1:2:0::1')
  } finally {
    open.close()
  }
})
