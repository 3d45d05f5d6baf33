import { readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import type { Line } from '../history.ts'
import { openNetwork } from '../network.ts'
import { settle } from '../operations.ts'
import { databaseUrl, makePostgres } from '../postgres.ts'
import { openRecorder } from '../recorder.ts'
import { createCompany, makeFolder, startService } from '../service.ts'
import { createSite, prepare, references } from '../workload.ts'

/** A PostgreSQL with a database that each simulation begins with a copy of. */
export type Ground = {
  checkout: string
  folder: string
  socket: string
  secret: string
  company: string
  token: string
  /** A session of the console, and the password of its account. */
  cookie: string
  password: string
  /** The records that all callers write. */
  clients: readonly number[]
  workers: readonly number[]
  /** What was sent, heard and promised while the database was filled. */
  lines: readonly Line[]
  /** Makes a copy of the database and returns its name. */
  copy(): Promise<string>
  drop(database: string): Promise<void>
  /** Opens a session of PostgreSQL's superuser in a copy. */
  connect(database: string): Promise<pg.Client>
  close(): Promise<void>
}

const placesOfPlan = 25
/** Places that callers find free. */
const placesFree = 5
const password = 'a password that is long enough'
/** PostgreSQL does nothing by itself, and finds a deadlock at once. Nothing here is about what a power cut leaves. */
const settings = { autovacuum: 'off', fsync: 'off', deadlock_timeout: '10ms', max_connections: '200' }

export async function openGround(checkout: string): Promise<Ground> {
  const folder = await makeFolder()
  const postgres = await makePostgres(settings)
  const network = await openNetwork(postgres.socket)
  const closing = [network.close, postgres.close, () => rm(folder, { recursive: true, force: true, maxRetries: 5 })]
  const close = async (): Promise<void> => {
    for (const act of closing) await act()
  }
  try {
    const service = await startService(checkout, { folder, settings: { DATABASE_URL: databaseUrl(network.port) } })
    closing.unshift(service.stop)
    const { id: company, token } = await createCompany(service.give, { plan: 'STARTER', password })
    const cookie = await signIn(service.url)
    const file = join(folder, 'ground.jsonl')
    const recorder = openRecorder(service.url, file)
    for (const line of references) recorder.write(line)
    recorder.write({ kind: 'limit', company: 'a', records: 'projects', most: placesOfPlan })
    const held = { name: 'a-0', text: token }
    const site = createSite({ name: 'a', recorder, draw: () => 0, token: () => held, isOver: () => true })
    await prepare(site, (parts) => settle(site, 'prepare', parts))
    const create = () => ({ op: 'create', records: 'projects', body: { name: site.next('project') } })
    const body = { mode: 'all', operations: Array.from({ length: placesOfPlan - placesFree }, create) }
    await settle(site, 'prepare', { method: 'POST', path: '/v1/batch', body, key: site.next('key') })
    await recorder.close()
    await service.stop()
    await network.close()
    const connect = async (database: string): Promise<pg.Client> => {
      const client = new pg.Client({ host: join(postgres.socket, '..'), user: 'postgres', database })
      client.on('error', () => {})
      await client.connect()
      return client
    }
    // A copy goes on with the log. To the service it is another database, of which it would begin a new epoch.
    const template = await connect('plumbline')
    await template.query("update log_epochs set identity = ''")
    // Whether a session is touched depends on PostgreSQL's clock, which is not the scheduler's.
    await template.query("update sessions set last_seen_at = now() + interval '1 day'")
    await template.end()
    const text = await readFile(file, 'utf8')
    let copies = 0
    return {
      ...{ checkout, folder, socket: postgres.socket, company, token, cookie, password, close },
      ...{ clients: site.clients, workers: site.workers },
      secret: (await readFile(join(folder, 'secret'), 'utf8')).trim(),
      lines: text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      async copy() {
        const database = `simulation_${++copies}`
        await postgres.ask(`create database ${database} template plumbline owner plumbline`)
        return database
      },
      drop: async (database) => void (await postgres.ask(`drop database ${database} with (force)`)),
      connect,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export type ConsoleAnswer = { status: number | null; cookie?: string; token?: string }

/** Asks the console as a browser does; `status` is null if no answer came. */
export function askConsole(url: string, path: string, body: object, cookie?: string): Promise<ConsoleAnswer> {
  const headers = {
    ...{ 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    ...(cookie === undefined ? {} : { Cookie: cookie }),
  }
  return new Promise((resolve) => {
    const outgoing = request(`${url}${path}`, { method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const [cookie] = response.headers['set-cookie']?.[0]?.split(';') ?? []
        resolve({
          status: response.statusCode ?? null,
          ...(cookie === undefined ? {} : { cookie }),
          ...(response.statusCode === 200 ? { token: JSON.parse(text).data?.token } : {}),
        })
      })
      response.on('error', () => resolve({ status: null }))
    })
    outgoing.on('error', () => resolve({ status: null }))
    outgoing.end(JSON.stringify(body))
  })
}

async function signIn(url: string): Promise<string> {
  const { status, cookie } = await askConsole(url, '/console/session', { email: 'ada@a.example', password })
  if (cookie === undefined) throw new Error(`signing in is answered ${status}`)
  return cookie
}
