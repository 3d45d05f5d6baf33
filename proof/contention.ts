import { drawer, pickOf } from './draw.ts'
import { hopMsMax, openNetwork } from './network.ts'
import type { Parts } from './operations.ts'
import { databaseUrl, makePostgres } from './postgres.ts'
import { openRecorder, type RecordedResponse } from './recorder.ts'
import { createCompany, startService } from './service.ts'

/** Callers that write the same few records in every way, on a database that is a hop of TCP away. */

/** What one start has found. */
export type ContentionStart = {
  seed: number
  calls: number
  deadlocks: number
  /** Answers of 500 and above, by what was called. */
  failures: { [call: string]: number }
  /** What PostgreSQL has said of each deadlock. */
  said: string[]
}

export type ContentionRun = { postgres: string; seconds: number; starts: ContentionStart[] }

type ContentionRequest = {
  starts: number
  /** Seconds of load in each start. */
  secondsEach?: number
  seed: number
  /** Where the history of the last start is written. */
  file: string
  /** The folder of the programs of another PostgreSQL than the bundled one. */
  programs?: string | undefined
  checkout?: string
  signal?: AbortSignal
  onStart?: (start: ContentionStart) => void
}

/** More than there are records, so that several calls want each of them. */
const callers = 14

/** Starts service and database anew each time: who refers to whom after the first calls decides what can meet. */
export async function contend(asked: ContentionRequest): Promise<ContentionRun> {
  const since = performance.now()
  const starts: ContentionStart[] = []
  let postgres = ''
  for (let place = 0; place < asked.starts && !asked.signal?.aborted; place++) {
    const { version, ...start } = await contendOnce(asked, asked.seed + place)
    postgres = version
    starts.push(start)
    asked.onStart?.(start)
  }
  return { postgres, seconds: Math.round((performance.now() - since) / 1000), starts }
}

async function contendOnce(
  { secondsEach = 8, file, programs, checkout, signal }: ContentionRequest,
  seed: number,
): Promise<ContentionStart & { version: string }> {
  const draw = drawer(seed)
  const database = await makePostgres({ deadlock_timeout: '1s' }, {}, programs)
  const network = await openNetwork(database.socket, () => hopMsMax * Math.random())
  const settings = { ...patience, DATABASE_URL: databaseUrl(network.port) }
  const service = await startService(checkout, { settings })
  const recorder = openRecorder(service.url, file)
  const failures: ContentionStart['failures'] = {}
  try {
    const { token: text } = await createCompany(service.give, { plan: 'ENTERPRISE' })
    const send = (operation: string, parts: Parts): Promise<RecordedResponse> =>
      recorder.send({ ...parts, operation, company: 'a', token: { name: 'a-0', text } })
    const field = await prepare(send)
    const until = performance.now() + secondsEach * 1000
    const isOver = (): boolean => performance.now() >= until || signal?.aborted === true
    const keepCalling = async (): Promise<void> => {
      while (!isOver()) {
        const name = pickOf(Object.keys(kinds), draw) as string
        const { status, answer, write } = await send(name, kinds[name]?.(field, draw) as Parts)
        if (status === null || status >= 500) {
          const failure = `${name}: ${status} ${answer?.code ?? ''}`
          failures[failure] = (failures[failure] ?? 0) + 1
        } else if (status < 300 && write !== undefined) {
          field.writes.push(write)
          if (field.writes.length > 8) field.writes.shift()
        }
      }
    }
    await Promise.all(Array.from({ length: callers }, keepCalling))
    const [found] = await database.ask(
      'select sum(deadlocks)::int as deadlocks, current_setting($$server_version$$) as version from pg_stat_database',
    )
    const { deadlocks, version } = found as { deadlocks: number; version: string }
    const said = database.said().match(/deadlock detected[\s\S]{0,1200}/g) ?? []
    return { seed, calls: recorder.counts.calls, deadlocks, failures, said, version }
  } finally {
    await recorder.close()
    await service.close()
    await network.close()
    await database.close()
  }
}

/** On a machine with other work a call waits for its turn for long; a deadlock is counted by PostgreSQL itself. */
const patience = {
  STATEMENT_TIMEOUT_MS: '20000',
  LOCK_TIMEOUT_MS: '15000',
  CONNECT_TIMEOUT_MS: '20000',
  ANSWER_TARGET_MS: '60000',
}

/** The records that all callers write, and the writes that they may undo. */
type Field = { workers: number[]; clients: number[]; projects: number[]; equipment: number[]; writes: string[] }

async function prepare(send: (operation: string, parts: Parts) => Promise<RecordedResponse>): Promise<Field> {
  const create = async (records: string, body: object): Promise<number> => {
    const { status, answer } = await send('prepare', { method: 'POST', path: `/v1/${records}`, body })
    if (status !== 201) throw new Error(`${records}: ${status} ${JSON.stringify(answer)}`)
    return answer.data.id
  }
  const workers: number[] = []
  const clients: number[] = []
  const projects: number[] = []
  const equipment: number[] = []
  for (const n of [0, 1, 2]) {
    workers.push(
      await create('workers', { name: `Worker ${n}`, external_ref: referenceOf(n), supervisor_id: workers[0] }),
    )
    clients.push(await create('clients', { name: `Client ${n}`, external_ref: referenceOf(n) }))
  }
  for (const n of [0, 1]) {
    const refers = { client_id: clients[n], manager_id: workers[n] }
    projects.push(
      await create('projects', { name: `Project ${n}`, status: 'BIDDING', external_ref: referenceOf(n), ...refers }),
    )
    equipment.push(
      await create('equipment', { name: `Crane ${n}`, external_ref: referenceOf(n), project_id: projects[n] }),
    )
  }
  return { workers, clients, projects, equipment, writes: [] }
}

const referenceOf = (n: number): string => `REF-${n}`

type Kind = (field: Field, draw: () => number) => Parts

const below = (most: number, draw: () => number): number => Math.floor(draw() * most)

/** What callers do, each a single call. */
const kinds: { readonly [name: string]: Kind } = {
  'update of a reference by which others name it': ({ workers }, draw) => ({
    method: 'PATCH',
    path: `/v1/workers/${pickOf(workers, draw)}`,
    body: { external_ref: referenceOf(below(3, draw)) },
  }),
  'update of a reference to another': ({ workers }, draw) => ({
    method: 'PATCH',
    path: `/v1/workers/${pickOf(workers, draw)}`,
    body: { supervisor_id: pickOf(workers, draw) },
  }),
  upsert: (_, draw) => ({
    method: 'PUT',
    path: `/v1/workers/by/external_ref/${referenceOf(below(3, draw))}`,
    body: { name: `Worker ${draw()}` },
  }),
  'update of references': ({ projects, clients, workers }, draw) => ({
    method: 'PATCH',
    path: `/v1/projects/${pickOf(projects, draw)}`,
    body: { client_id: pickOf(clients, draw), manager_id: pickOf(workers, draw) },
  }),
  'preview of a deletion by id': ({ workers, projects }, draw) => ({
    method: 'DELETE',
    path: draw() < 0.7 ? `/v1/workers/${pickOf(workers, draw)}` : `/v1/projects/${pickOf(projects, draw)}`,
    dryRun: true,
  }),
  'preview of a deletion by reference': (_, draw) => ({
    method: 'DELETE',
    path: `/v1/${draw() < 0.7 ? 'workers' : 'projects'}/by/external_ref/${referenceOf(below(2, draw))}`,
    dryRun: true,
  }),
  'batch that names a record twice': (field, draw) => {
    const records = pickOf(['workers', 'projects', 'equipment'] as const, draw) ?? 'workers'
    const place = below(field[records].length, draw)
    const update = (named: object) => ({ op: 'update', records, ...named, body: { notes: `N ${draw()}` } })
    const operations = [update({ id: field[records][place] }), update({ external_ref: referenceOf(place) })]
    return { method: 'POST', path: '/v1/batch', body: { mode: 'all', operations }, dryRun: draw() < 0.5 }
  },
  undo: ({ writes }, draw) => ({
    method: 'POST',
    path: `/v1/writes/${pickOf(writes, draw) ?? crypto.randomUUID()}/undo`,
  }),
}

/** Says what the starts found, and whether all was as promised. */
export function judgeContention({ postgres, seconds, starts }: ContentionRun): { lines: string[]; isWhole: boolean } {
  const sum = (of: (start: ContentionStart) => number): number => starts.reduce((total, start) => total + of(start), 0)
  const deadlocks = sum((start) => start.deadlocks)
  const failed = starts.flatMap(({ seed, failures }) =>
    Object.entries(failures).map(([failure, times]) => `FAILED ${times} times, seed ${seed}: ${failure}`),
  )
  const calls = sum((start) => start.calls)
  return {
    lines: [
      ...failed,
      `PostgreSQL ${postgres}: ${starts.length} starts, ${calls} calls, ${deadlocks} deadlocks, ${seconds} s`,
    ],
    isWhole: deadlocks === 0 && failed.length === 0,
  }
}
