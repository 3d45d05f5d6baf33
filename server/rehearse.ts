import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { type Duplex, duplexPair } from 'node:stream'
import { Registry } from 'prom-client'
import { routes } from '#derive/routes.ts'
import { registry } from '#registry/resources/index.ts'
import { closeApp, createApp } from './app.ts'
import type { Config } from './config/config.ts'
import { builtConsole } from './console-api/app-files.ts'
import { serverOf } from './http/listen.ts'
import { startMetrics } from './metrics.ts'
import { handlers } from './pipeline/handlers/index.ts'
import { openEdge } from './serve.ts'
import { createToken } from './service/token-text.ts'
import { oneKey } from './store/seal.ts'
import { createStandIn, type RecordedRows } from './store/stand-in.ts'

const alone = [9]
const together = [1, 2, 3, 4, 5, 6, 7, 8]

/** A call of the rehearsal and of its recording. */
export type RehearsedCall = { method: string; path: string; body?: object; key?: string }

/** The recorded answers of PostgreSQL to these calls. A test records them again and compares. */
export const recordingFile = join(import.meta.dirname, 'rehearsal.json')

/**
 * The calls in their order, with the numbers of their callers: one alone, or several at once whose writes share a
 * transaction. Referenced records have the id 1. The read and changed projects are those that the recording created.
 */
export const rehearsedCalls: readonly { callOf(caller: number): RehearsedCall; callers: readonly number[] }[] = [
  ...[
    (caller: number) => ({ method: 'POST', path: '/v1/projects', body: projectOf(caller), key: `rehearsal-${caller}` }),
    (caller: number) => ({ method: 'POST', path: '/v1/clients', body: { name: 'Quay', tax_id: `R-${caller}` } }),
    (caller: number) => ({ method: 'PATCH', path: `/v1/projects/${caller}`, body: { budget_minor: 9_900_000 } }),
  ].flatMap((callOf) => [alone, together].map((callers) => ({ callOf, callers }))),
  { callOf: (caller) => ({ method: 'GET', path: `/v1/projects/${caller}` }), callers: alone },
  { callOf: () => ({ method: 'GET', path: '/v1/projects?limit=5' }), callers: alone },
]

const projectOf = (caller: number): object => ({
  name: 'Harbour Road roof renewal',
  code: `R-${caller}`,
  status: 'BIDDING',
  client_id: 1,
  category_id: 1,
  manager_id: 1,
  start_date: '2026-03-02',
  end_date: '2026-09-30',
  contract_minor: 12_500_000,
  external_ref: `R-${caller}`,
})

/**
 * Runs calls through the whole service except the network and PostgreSQL, whose answers are recorded. So the JavaScript
 * engine has compiled the path of a write before the first caller comes. Nothing is stored, counted or logged. It takes
 * the time of the settings, and its failure keeps no process from serving. Decisions, Rehearsal.
 */
export async function rehearse(
  config: Config,
  log: { warn(facts: object, sentence: string): void },
  file = recordingFile,
): Promise<void> {
  if (config.rehearsal === 0) return
  const until = performance.now() + config.rehearsal
  try {
    const recording = JSON.parse(await readFile(file, 'utf8')) as RecordedRows
    const stage = openRehearsal(config, recording)
    try {
      while (performance.now() < until) await stage.play(until)
    } finally {
      await stage.close()
    }
  } catch (error) {
    log.warn({ error }, 'the rehearsal before the start failed')
  }
}

function openRehearsal(config: Config, recording: RecordedRows) {
  const app = createApp(
    { ...config, logLevel: 'silent', tokenRequestsPerMinute: config.tokenRequestsPerMinute && 1_000_000 },
    createStandIn(recording),
    oneKey(''),
    (database) => startMetrics(database, null, new Registry()),
  )
  const edge = openEdge(app, builtConsole, () => routes(registry), handlers)
  const server = serverOf(app, edge.answer, edge.connections)
  const token = createToken(1)
  const lines = new Map([...alone, ...together].map((caller) => [caller, openCaller(server, token)]))
  return {
    /** Runs each call until the time is over. */
    async play(until: number): Promise<void> {
      for (const { callOf, callers } of rehearsedCalls) {
        if (performance.now() >= until) return
        await Promise.all(callers.map((caller) => lines.get(caller)?.call(callOf(caller))))
      }
    },
    async close(): Promise<void> {
      edge.stopWaiting()
      for (const line of lines.values()) line.close()
      edge.close()
      await closeApp(app)
    },
  }
}

/** Opens a connection to the server inside this process, without a socket. */
function openCaller(server: Server, token: string) {
  const [ours, theirs] = duplexPair()
  server.emit('connection', Object.assign(theirs, { remoteAddress: '127.0.0.1' }))
  ours.setEncoding('latin1')
  return {
    async call({ method, path, body, key }: RehearsedCall): Promise<void> {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers = [
        ...[`Host: localhost`, `Authorization: Bearer ${token}`],
        ...(text === '' ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
        ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
      ]
      ours.write(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${text}`)
      const answer = await answerOf(ours)
      if (!/^HTTP\/1\.1 20[01] /.test(answer)) throw new Error(`${method} ${path} was answered ${answer}`)
    },
    close: () => ours.destroy(),
  }
}

/** Reads a complete response. */
const answerOf = (stream: Duplex): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const take = (chunk: string): void => {
      answer += chunk
      const end = answer.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/\r\nContent-Length: (\d+)/i.exec(answer)?.[1] ?? 0)
      if (answer.length < end + 4 + length) return
      stream.off('data', take).off('close', lost)
      resolve(answer)
    }
    const lost = (): void => reject(new Error('the connection of a rehearsal was closed'))
    stream.on('data', take).once('close', lost)
  })
