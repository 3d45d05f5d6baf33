import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '#server/service/token-text.ts'
import { send } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** A real process with few places, so that a flood fills them on any machine. */
let stage: Stage
let server: Process
let polite: Company
beforeAll(async () => {
  stage = await openStage()
  server = await startProcess({
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    REQUESTS_MAX: '64',
    LOG_LEVEL: 'warn',
    // Who is next is tested, and not how long a connection takes on a machine that the flood has filled.
    CONNECT_TIMEOUT_MS: '8000',
  })
  polite = await stage.company()
})
afterAll(async () => {
  await server.stop()
  await stage.close()
})

const connections = 256
const pipelined = 8

/** Connections that send requests one after the other without waiting, and as many again when those are answered. */
function flood(requestOf: (number: number) => string): { statuses: Map<string, number>; stop(): void } {
  const { hostname, port } = new URL(server.url)
  const statuses = new Map<string, number>()
  let [sent, stopped] = [0, false]
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname)
    const pour = () => {
      if (!stopped) socket.write(Array.from({ length: pipelined }, () => requestOf(++sent)).join(''))
    }
    let answered = 0
    socket.on('connect', pour)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (++answered % pipelined === 0) pour()
      }
    })
    return socket
  })
  return {
    statuses,
    stop: () => {
      stopped = true
      for (const socket of sockets as Socket[]) socket.destroy()
    },
  }
}

const requestOf = (method: string, path: string, token: string, body = '') =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: flooded',
    `Authorization: Bearer ${token}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n')

/** Ten at a time, as a program that asks little does; the statuses of all. */
async function askPolitely(method: string, path: string, body?: object): Promise<number[]> {
  const statuses: number[] = []
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        send(server.url, {
          method,
          path,
          headers: [
            ['Authorization', `Bearer ${polite.token}`],
            ['Content-Type', 'application/json'],
          ],
          body: body && JSON.stringify(body),
        }),
      ),
    )
    statuses.push(...answers.map(({ status }) => status))
  }
  return statuses
}

const all = (status: number): number[] => Array<number>(40).fill(status)

describe('Beside a flood a company that asks little', () => {
  const rows: { of: string; flood: () => Promise<(number: number) => string>; refused: string }[] = [
    {
      of: 'reads of another company, over 256 connections that wait for no answer,',
      flood: async () => {
        const { token } = await stage.company()
        return () => requestOf('GET', '/v1/clients?limit=100', token)
      },
      refused: '503',
    },
    {
      of: 'writes of another company, as many,',
      flood: async () => {
        const { token } = await stage.company()
        return (number) => requestOf('POST', '/v1/clients', token, JSON.stringify({ name: `Flood ${number}` }))
      },
      refused: '503',
    },
    {
      of: 'forged tokens that name the company itself',
      flood: async () => () => requestOf('GET', '/v1/clients', createToken(polite.id)),
      refused: '401',
    },
    {
      of: 'forged tokens that name another company each',
      flood: async () => (number) => requestOf('GET', '/v1/clients', createToken(number)),
      refused: '401',
    },
  ]
  test.each(rows)('is answered every time, reads and writes ($of)', async ({ flood: floodOf, refused }) => {
    // The service knows it from a call before.
    expect((await askPolitely('GET', '/v1/clients?limit=1'))[0]).toBe(200)
    const { statuses, stop } = flood(await floodOf())
    try {
      const enough = () => expect(statuses.get(refused) ?? 0).toBeGreaterThan(1000)
      await eventually(async () => enough())
      expect(await askPolitely('GET', '/v1/clients?limit=1')).toEqual(all(200))
      expect(await askPolitely('POST', '/v1/clients', { name: 'Polite' })).toEqual(all(201))
    } finally {
      stop()
    }
    expect(statuses.get('500') ?? 0).toBe(0)
  })
})
