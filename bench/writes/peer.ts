import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFreePort } from '../../proof/free-port.ts'
import { BenchProblem } from '../problem.ts'
import type { Server } from '../processes.ts'
import { type Block, countPerCompany, idOf, type Layout } from '../scenario/layout.ts'

/** The login of the adapter. */
export const peerLogin = { identity: 'bench@example.com', password: 'worth nothing elsewhere' }

/** Returns the id of a record in PocketBase: fifteen letters and digits. */
export const peerId = (collection: string, id: number): string =>
  `${collection.slice(0, 3)}${String(id).padStart(12, '0')}`

/**
 * Starts the binary of PocketBase in a folder of its own. It has collections with the fields of our projects and of the
 * resources that these refer to, and the referenced records of the layout's first company.
 */
export async function startPeer(binary: string, layout: Layout): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-peer-'))
  const program = resolve(binary)
  const superuser = { identity: 'root@example.com', password: 'worth nothing elsewhere' }
  await promisify(execFile)(program, ['superuser', 'upsert', superuser.identity, superuser.password, '--dir', folder])
  const port = await findFreePort()
  const child = spawn(program, ['serve', '--http', `127.0.0.1:${port}`, '--dir', folder], { stdio: 'ignore' })
  const ended = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await untilHealthy(url)
    await furnish(url, superuser, layout)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, pid: child.pid, complaints: () => '', logBytes: () => 0, stop }
}

const field = (type: string, names: readonly string[]) => names.map((name) => ({ name, type }))

/** Returns the fields of a project that the adapter sends, with the unique code of ours. */
const projectFields = (ids: { readonly [collection: string]: string }) => [
  ...field('text', ['name', 'code', 'description', 'external_ref', 'start_date', 'end_date']),
  { name: 'status', type: 'select', maxSelect: 1, values: ['BIDDING', 'ON_HOLD', 'ACTIVE'] },
  ...Object.entries({ client_id: 'clients', category_id: 'categories', manager_id: 'workers' }).map(([name, to]) => ({
    ...{ name, type: 'relation', maxSelect: 1, collectionId: ids[to] },
  })),
  ...field('json', ['address']),
  ...field('number', ['contract_minor', 'budget_minor', 'percent_complete']),
]

async function furnish(url: string, superuser: object, layout: Layout): Promise<void> {
  const { token } = await post(url, '/api/collections/_superusers/auth-with-password', superuser)
  const create = (path: string, body: object) => post(url, path, body, token as string)
  const signedIn = '@request.auth.id != ""'
  const rules = { createRule: signedIn, viewRule: signedIn, listRule: signedIn }
  const ids: { [collection: string]: string } = {}
  for (const name of ['clients', 'categories', 'workers']) {
    const made = await create('/api/collections', { name, type: 'base', fields: field('text', ['name']), ...rules })
    ids[name] = made.id as string
  }
  await create('/api/collections', {
    ...{ name: 'projects', type: 'base', fields: projectFields(ids), ...rules },
    indexes: ['create unique index projects_code on projects (code)'],
  })
  const { identity: email, password } = peerLogin
  await create('/api/collections/users/records', { email, password, passwordConfirm: password, verified: true })
  const blocks: { [collection: string]: readonly Block[] } = {
    ...{ clients: layout.clients, categories: layout.categories, workers: layout.workers },
  }
  for (const [name, ofKind] of Object.entries(blocks)) {
    for (let ordinal = 0; ordinal < countPerCompany(ofKind[0] as Block); ordinal++)
      await create(`/api/collections/${name}/records`, { id: peerId(name, idOf(ofKind, 1, ordinal)), name })
  }
}

async function post(url: string, path: string, body: object, token = ''): Promise<{ [member: string]: unknown }> {
  const headers = { 'Content-Type': 'application/json', Authorization: token }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new BenchProblem(`POST ${path} of the peer answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

async function untilHealthy(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(`${url}/api/health`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await wait(100)
  }
  throw new BenchProblem('The peer did not start within ten seconds.')
}
