import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { lookedAtATurn, openResting } from '#server/http/resting-connections.ts'
import { eventually } from '../stage/wait.ts'

/** Connections of callers who wait for an answer, over real sockets. */

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const asking = (index: number): string => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`

/** So many callers, each of whom has asked for something, and what the service has of each. */
async function callersWhoWait(count: number) {
  const calls: { request: IncomingMessage; response: ServerResponse }[] = []
  const server = createServer((request, response) => calls.push({ request, response })).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const callers: Socket[] = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  for (const [index, caller] of callers.entries()) caller.write(asking(index))
  await eventually(async () => expect(calls).toHaveLength(count))
  // The order of the callers.
  calls.sort((one, other) => Number(one.request.url?.slice(1)) - Number(other.request.url?.slice(1)))
  const resting = openResting()
  ends.push(() => {
    resting.close()
    server.closeAllConnections()
    server.close()
  })
  return { calls, callers, resting }
}

test('Of callers who hang up together while they wait, a few are noticed in each turn of the event loop, and all of them.', async () => {
  const { calls, callers, resting } = await callersWhoWait(200)
  let closed = 0
  let inThisTurn = 0
  let most = 0
  for (const { request, response } of calls) {
    resting.rest(request.socket)
    response.once('close', () => {
      closed++
      if (inThisTurn++ === 0)
        setImmediate(() => {
          inThisTurn = 0
        })
      most = Math.max(most, inThisTurn)
    })
  }
  for (const caller of callers) caller.destroy()
  await eventually(async () => expect(closed).toBe(200))
  // Those of two looks may be noticed in one turn.
  expect(most).toBeLessThanOrEqual(2 * lookedAtATurn)
})

test('Who waits and stays is answered, and what is sent meanwhile is read behind the answer.', async () => {
  const { calls, callers, resting } = await callersWhoWait(2)
  const [first, second] = calls.map(({ request }) => resting.rest(request.socket))
  callers[1]?.write(asking(2))
  // That the first has gone shows that both were looked at.
  callers[0]?.destroy()
  await eventually(async () => expect(calls[0]?.response.closed).toBe(true))
  first?.()
  second?.()
  calls[1]?.response.end('done')
  await eventually(async () => expect(calls).toHaveLength(3))
  calls[2]?.response.end('done')
  let read = ''
  callers[1]?.on('data', (data) => {
    read += data
  })
  await eventually(async () => expect(read.match(/done/g)).toHaveLength(2))
})
