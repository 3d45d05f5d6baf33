import { Agent } from 'node:http'
import { operator } from '#server/records/actor.ts'
import { restoreRemoval } from '#server/records/restore.ts'
import { rotateToken } from '#server/service/token.ts'
import { send, type TestResponse } from '../stage/http.ts'
import type { Company, Stage } from '../stage/stage.ts'

/** Writes of every kind over the same few records, from many connections to several processes at once. */

export type Contention = {
  calls: number
  /** How many answers had each status. */
  statuses: { [status: string]: number }
  /** The answers of 500 and above. */
  failures: { call: string; text: string }[]
  restores: number
  rotations: number
  /** Deadlocks that the database found. */
  deadlocks: number
  slowestMs: number
}

type Options = { urls: readonly string[]; companies: readonly Company[]; connections: number; durationMs: number }

/** A company as the callers know it, its token being the one of this moment. */
type Ground = { company: Company; token: string; writes: string[]; removals: number[] }

const references = ['R-1', 'r-2', 'R-3', 'R-4']
const codes = ['C-1', 'C-2', 'C-3']
const resources = ['clients', 'projects', 'workers', 'estimates', 'equipment'] as const

export async function contend(
  stage: Stage,
  { urls, companies, connections, durationMs }: Options,
): Promise<Contention> {
  const seen: Contention = {
    ...{ calls: 0, statuses: {}, failures: [], restores: 0, rotations: 0, deadlocks: 0, slowestMs: 0 },
  }
  const before = await deadlocks(stage)
  const grounds = companies.map((company): Ground => ({ company, token: company.token, writes: [], removals: [] }))
  await Promise.all(grounds.map((ground) => plant(stage, ground)))
  const until = performance.now() + durationMs
  const goesOn = () => performance.now() < until
  const callers = Array.from({ length: connections }, async (_, index) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const random = randomOf(index + 1)
    const url = urls[index % urls.length] as string
    const ground = grounds[index % grounds.length] as Ground
    while (goesOn()) {
      const wire = await nextCall(stage, ground, random)
      const begun = performance.now()
      const answer = await call(url, ground, wire, agent)
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begun)
      seen.calls++
      seen.statuses[answer.status] = (seen.statuses[answer.status] ?? 0) + 1
      if (answer.status >= 500) seen.failures.push({ call: `${wire.method} ${wire.path}`, text: answer.text })
      const writeId = answer.headers['x-write-id']
      if (answer.status < 300 && typeof writeId === 'string') ground.writes.push(writeId)
      if (ground.writes.length > 8) ground.writes.shift()
    }
    agent.destroy()
  })
  const besides = grounds.flatMap((ground) => [
    restoreOften(stage, ground, seen, goesOn),
    rotateOften(stage, ground, seen, goesOn),
  ])
  await Promise.all([...callers, ...besides])
  seen.deadlocks = (await deadlocks(stage)) - before
  return seen
}

type ContentionCall = { method: string; path: string; body?: unknown }

async function plant(stage: Stage, { company }: Ground): Promise<void> {
  await company.create('clients', { name: 'Client', external_ref: references[0] })
  const { length } = references
  for (let n = 1; n < length; n++) await company.create('clients', { name: 'Client', external_ref: references[n] })
  const ids = await idsOf(stage, company.id, 'clients')
  for (let n = 0; n < 3; n++) {
    await company.create('projects', { name: 'P', code: codes[n], client_id: ids[n], external_ref: references[n] })
    await company.create('workers', { name: 'W', employee_no: codes[n], external_ref: references[n] })
    await company.create('equipment', { name: 'E', code: codes[n], external_ref: references[n] })
    await company.create('estimates', { title: 'E', client_id: ids[n] })
  }
}

/** The newest live records of a resource: a few, so that callers meet. */
async function idsOf(stage: Stage, companyId: number, resource: string): Promise<number[]> {
  const rows = await stage.sql<{ id: number }>(
    `select id from ${resource} where company_id = $1 and deleted_at is null order by id desc limit 5`,
    companyId,
  )
  return rows.map(({ id }) => id)
}

type Random = { below(most: number): number; of<T>(list: readonly T[]): T }

async function nextCall(stage: Stage, { company, writes }: Ground, random: Random): Promise<ContentionCall> {
  const resource = random.of(resources)
  const [own, clients, projects, workers] = await Promise.all(
    [resource, 'clients', 'projects', 'workers'].map((name) => idsOf(stage, company.id, name)),
  )
  const known = { clients: clients ?? [], projects: projects ?? [], workers: workers ?? [] }
  const id = random.of(own ?? []) ?? 1
  const path = `/v1/${resource}`
  switch (random.below(10)) {
    case 0:
      return { method: 'POST', path, body: bodyOf(resource, known, random) }
    case 1:
    case 2:
    case 3:
      return { method: 'PATCH', path: `${path}/${id}`, body: bodyOf(resource, known, random) }
    case 4:
    case 5:
      return {
        method: 'PUT',
        path: `${path}/by/external_ref/${random.of(references)}`,
        body: { ...bodyOf(resource, known, random), external_ref: undefined },
      }
    case 6:
      return {
        method: 'DELETE',
        path: random.below(2) ? `${path}/${id}` : `${path}/by/external_ref/${random.of(references)}`,
      }
    case 7:
      return { method: 'POST', path: `/v1/writes/${random.of(writes) ?? crypto.randomUUID()}/undo` }
    default: {
      const operations = Array.from({ length: 6 }, () => operationOf(random, known, own ?? [], resource))
      return { method: 'POST', path: '/v1/batch', body: { mode: random.below(3) ? 'all' : 'each', operations } }
    }
  }
}

type Known = { clients: number[]; projects: number[]; workers: number[] }

function operationOf(random: Random, known: Known, own: number[], main: string): object {
  const records = random.below(2) ? main : random.of(['clients', 'projects', 'workers'] as const)
  const ids = records === main ? own : known[records as keyof Known]
  const body = bodyOf(records, known, random)
  const reference = random.of(references)
  switch (random.below(5)) {
    case 0:
      return { op: 'create', records, body }
    case 1:
      return { op: 'update', records, id: random.of(ids) ?? 1, body }
    case 2:
      return { op: 'update', records, external_ref: reference, body: { ...body, external_ref: undefined } }
    case 3:
      return { op: 'upsert', records, external_ref: reference, body: { ...body, external_ref: undefined } }
    default:
      return { op: 'delete', records, id: random.of(ids) ?? 1 }
  }
}

/** Some of the fields that writes can meet at. */
function bodyOf(resource: string, { clients, projects, workers }: Known, random: Random): { [field: string]: unknown } {
  const maybe = (field: string, value: unknown) => (random.below(2) && value !== undefined ? { [field]: value } : {})
  const named = { ...maybe('external_ref', random.of(references)) }
  const name = `N${random.below(1000)}`
  switch (resource) {
    case 'clients':
      return { name, ...named }
    case 'projects':
      return {
        name,
        ...named,
        ...maybe('code', random.of(codes)),
        ...maybe('client_id', random.of(clients)),
        ...maybe('manager_id', random.of(workers)),
      }
    case 'workers':
      return {
        name,
        ...named,
        ...maybe('employee_no', random.of(codes)),
        ...maybe('supervisor_id', random.of(workers)),
      }
    case 'equipment':
      return {
        name,
        ...named,
        ...maybe('code', random.of(codes)),
        ...maybe('project_id', random.of(projects)),
        ...maybe('worker_id', random.of(workers)),
      }
    default:
      return {
        title: name,
        ...named,
        ...maybe('client_id', random.of(clients)),
        ...maybe('project_id', random.of(projects)),
      }
  }
}

const call = (
  url: string,
  ground: Ground,
  { method, path, body }: ContentionCall,
  agent: Agent,
): Promise<TestResponse> =>
  send(url, {
    ...{ method, path, agent },
    headers: [
      ['Authorization', `Bearer ${ground.token}`],
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ...(path === '/v1/batch' ? [['Idempotency-Key', crypto.randomUUID()] as [string, string]] : []),
    ],
    body: body === undefined ? undefined : JSON.stringify(body),
  })

/** As the interface does: the newest deletions come back. */
async function restoreOften(stage: Stage, { company }: Ground, seen: Contention, goesOn: () => boolean) {
  while (goesOn()) {
    const [removal] = await stage.sql<{ id: number }>(
      "select id from removals where company_id = $1 and restored_at is null and mode = 'soft' order by random() limit 1",
      company.id,
    )
    if (!removal) continue
    try {
      await stage.inTransaction((transaction) => restoreRemoval(transaction, operator(company.id), removal.id))
      seen.restores++
    } catch (error) {
      if ((error as Error).name === 'Fault')
        seen.failures.push({ call: 'restore', text: String((error as Error).cause) })
      else if ((error as Error).name !== 'Refusal') throw error
    }
  }
}

async function rotateOften(stage: Stage, ground: Ground, seen: Contention, goesOn: () => boolean) {
  const actor = operator(ground.company.id)
  while (goesOn()) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const { token } = await stage.app.database.transaction(
      (transaction) => rotateToken(transaction, actor, stage.app.secret),
      undefined,
      { isPersistent: true },
    )
    ground.token = token
    seen.rotations++
  }
}

async function deadlocks(stage: Stage): Promise<number> {
  const [row] = await stage.sql<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return row?.deadlocks ?? 0
}

/** The same numbers for the same seed. */
function randomOf(seed: number): Random {
  let state = seed * 2654435761
  const below = (most: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  return { below, of: (list) => list[below(list.length)] as never }
}
