import { pickOf } from './draw.ts'
import type { RecordedRequest, RecordedResponse, Recorder } from './recorder.ts'

/** One company under load: what its callers know of it together. */
export type Site = {
  name: string
  recorder: Recorder
  token(): RecordedRequest['token']
  draw(): number
  /** The records that all callers write. */
  clients: number[]
  workers: number[]
  projects: number[]
  /** Names of writes that may be taken back. */
  writes: string[]
  /** A name that nothing else has. */
  next(what: string): string
  isOver(): boolean
}

/** A call without its company and token. */
export type Parts = Omit<RecordedRequest, 'operation' | 'company' | 'token'>
export type Operation = (site: Site, call: (parts: Parts) => Promise<RecordedResponse>) => Promise<unknown>

const pick = <One>({ draw }: Site, list: readonly One[]): One => pickOf(list, draw) as One

/** Sends a call until it has a result; one without a key once. */
export async function settle(site: Site, operation: string, parts: Parts): Promise<RecordedResponse> {
  for (let tries = 0; ; tries++) {
    const heard = await site.recorder.send({ ...parts, operation, company: site.name, token: site.token() })
    const { status } = heard
    const isOpen = hasNoResult(heard)
    if (!isOpen) noteWrite(site, parts, heard)
    if (!isOpen || parts.key === undefined || tries > 100) return heard
    // Where nothing listens there is no need for haste.
    await pause((status === null ? 200 : 20) + 80 * site.draw())
  }
}

/** Whether the caller does not know yet what became of the call. */
export const hasNoResult = ({ status, answer }: Pick<RecordedResponse, 'status' | 'answer'>): boolean =>
  status === null || status >= 500 || status === 401 || status === 429 || answer?.code === 'idempotency_in_progress'

/** Notes a write that succeeded, so that it may be taken back. */
export function noteWrite({ writes }: Site, { method }: Parts, { status, write }: RecordedResponse): void {
  if (write === undefined || status === null || status >= 300 || method === 'GET') return
  writes.push(write)
  if (writes.length > 30) writes.shift()
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

const hot = (site: Site): string =>
  site.draw() < 0.7 ? `/v1/clients/${pick(site, site.clients)}` : `/v1/workers/${pick(site, site.workers)}`

const notes = (site: Site) => ({ notes: site.next('notes') })
const maybeKeyed = (site: Site) => (site.draw() < 0.8 ? { key: site.next('key') } : {})

/** What callers do, by name. Each is weighed by how often it stands in the turns of `workload.ts`. */
export const operations: { readonly [name: string]: Operation } = {
  update: async (site, call) => {
    const path = hot(site)
    await call({ method: 'PATCH', path, body: notes(site), ...maybeKeyed(site) })
    await call({ method: 'GET', path })
  },
  read: async (site, call) => {
    const path = hot(site)
    await call({ method: 'GET', path })
    await call({ method: 'GET', path })
  },
  'update of a known version': async (site, call) => {
    const path = hot(site)
    const { etag } = await call({ method: 'GET', path })
    if (etag === undefined) return
    const update = () => call({ method: 'PATCH', path, body: notes(site), ifMatch: etag, key: site.next('key') })
    await Promise.all([update(), update()])
  },
  'planned update': async (site, call) => {
    const path = hot(site)
    const body = notes(site)
    const { answer } = await call({ method: 'PATCH', path, body, dryRun: true })
    if (answer?.plan === undefined) return
    const apply = () => call({ method: 'PATCH', path, body, ifPlan: `"${answer.plan.hash}"`, key: site.next('key') })
    await Promise.all([apply(), apply(), call({ method: 'PATCH', path, body: notes(site), key: site.next('key') })])
  },
  'create under one key': async (site, call) => {
    const create = { method: 'POST', path: '/v1/clients', body: { name: site.next('client') }, key: site.next('key') }
    const [{ answer }] = (await Promise.all([call(create), call(create), call(create)])) as [
      RecordedResponse,
      ...RecordedResponse[],
    ]
    await call(create)
    // Another body under the key is refused.
    await call({ ...create, body: { name: site.next('client') } })
    const id = answer?.data?.id
    if (typeof id === 'number') await call({ method: 'DELETE', path: `/v1/clients/${id}`, key: site.next('key') })
  },
  upsert: (site, call) =>
    call({
      ...{ method: 'PUT', path: `/v1/clients/by/external_ref/HOT-${Math.floor(site.draw() * 3)}` },
      ...{ body: { name: site.next('client'), ...notes(site) }, key: site.next('key') },
    }),
  delete: (site, call) =>
    call({
      ...{ method: 'DELETE', path: `/v1/clients/by/external_ref/HOT-${Math.floor(site.draw() * 3)}` },
      key: site.next('key'),
    }),
  batch: (site, call) => {
    const mode = site.draw() < 0.7 ? 'all' : 'each'
    const update = () => ({ op: 'update', records: 'clients', id: pick(site, site.clients), body: notes(site) })
    const create = { op: 'create', records: 'clients', body: { name: site.next('client') } }
    const body = { mode, operations: [update(), create, update()] }
    return call({ method: 'POST', path: '/v1/batch', body, key: site.next('key') })
  },
  // Long enough to be broken off in its middle.
  'long batch': (site, call) => {
    const update = () => ({ op: 'update', records: 'workers', id: pick(site, site.workers), body: notes(site) })
    const body = { mode: site.draw() < 0.5 ? 'all' : 'each', operations: Array.from({ length: 40 }, update) }
    return call({ method: 'POST', path: '/v1/batch', body, key: site.next('key') })
  },
  // What is written twice in one transaction has its foreign keys checked again, beside one who would delete the other end.
  'batch that names a record twice': async (site, call) => {
    const reference = `TWICE-${Math.floor(site.draw() * 2)}`
    const manager = pick(site, site.workers)
    const refers = { client_id: pick(site, site.clients), manager_id: manager }
    const path = `/v1/projects/by/external_ref/${reference}`
    const body = { name: site.next('project'), ...refers }
    const made = await call({ method: 'PUT', path, body, key: site.next('key') })
    const id = made.answer?.data?.id
    if (typeof id !== 'number') return
    const update = (named: object) => ({ op: 'update', records: 'projects', ...named, body: notes(site) })
    const operations = [update({ id }), update({ external_ref: reference })]
    await Promise.all([
      call({ method: 'POST', path: '/v1/batch', body: { mode: 'all', operations }, key: site.next('key') }),
      call({ method: 'DELETE', path: `/v1/workers/${manager}`, dryRun: true }),
    ])
  },
  undo: async (site, call) => {
    if (site.writes.length === 0) return
    const path = `/v1/writes/${pick(site, site.writes)}/undo`
    await Promise.all([1, 2].map(() => call({ method: 'POST', path, key: site.next('key') })))
  },
  'undo after a later change': async (site, call) => {
    const path = hot(site)
    const { write } = await call({ method: 'PATCH', path, body: notes(site), key: site.next('key') })
    if (write === undefined) return
    await call({ method: 'PATCH', path, body: notes(site), key: site.next('key') })
    await call({ method: 'POST', path: `/v1/writes/${write}/undo`, key: site.next('key') })
  },
  'reference to what is deleted': async (site, call) => {
    const body = { name: site.next('client') }
    const { answer } = await call({ method: 'POST', path: '/v1/clients', body, key: site.next('key') })
    const id = answer?.data?.id
    if (typeof id !== 'number') return
    const refer = async () => {
      const project = { name: site.next('project'), client_id: id, status: 'BIDDING' }
      const made = await call({ method: 'POST', path: '/v1/projects', body: project, key: site.next('key') })
      if (made.status === 201) site.projects.push(made.answer.data.id)
    }
    const end = () => call({ method: 'DELETE', path: `/v1/clients/${id}`, key: site.next('key') })
    await Promise.all([refer(), end(), refer(), end()])
  },
  'race for places of the plan': async (site, call) => {
    const create = async () => {
      const body = { name: site.next('project') }
      const made = await call({ method: 'POST', path: '/v1/projects', body, key: site.next('key') })
      if (made.status === 201) site.projects.push(made.answer.data.id)
    }
    await Promise.all([create(), create(), create(), create(), create()])
    for (let count = 0; count < 2; count++) {
      const id = site.projects.shift()
      if (id !== undefined) await call({ method: 'DELETE', path: `/v1/projects/${id}`, key: site.next('key') })
    }
  },
  // Sorted and searched, so that a list takes long enough for faults to meet it.
  list: async (_, call) => {
    const list = (query: string) => call({ method: 'GET', path: `/v1/clients?${query}` })
    for (let count = 0; count < 3; count++)
      await Promise.all(['limit=20', 'limit=100&sort=-name', 'limit=100&q=client'].map(list))
  },
}
