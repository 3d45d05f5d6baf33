/**
 * A nightly synchronisation in two steps: what the payroll says of workers goes up, and the projects come down. Node 24,
 * no packages: `PLUMBLINE_URL=… PLUMBLINE_TOKEN=… node sync.ts payroll.json state.json`. See README.md beside it.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'

type SyncRow = { [field: string]: unknown }
type Page = { etag: string; next: string | null; total: number; data: SyncRow[] }
/** What the last night left: each page with the ETag it came with, by its path. */
type State = { pages: { [path: string]: Page } }
type SyncRequest = {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: SyncRow
  statuses?: number[]
}

const base = readVariable('PLUMBLINE_URL').replace(/\/$/, '')
const token = readVariable('PLUMBLINE_TOKEN')
const [payrollFile = 'payroll.json', stateFile = 'state.json'] = process.argv.slice(2)
/** In each key, since the service remembers a key for a day. */
const run = new Date().toISOString().slice(0, 10)
const counts = { created: 0, updated: 0, unchanged: 0, pages_read: 0, pages_kept: 0 }

const payroll: SyncRow[] = JSON.parse(await readFile(payrollFile, 'utf8'))
const state = await readState()
await sendWorkers(payroll)
const projects = await readAll('/v1/projects?sort=id&limit=100')
await writeState()
console.log(JSON.stringify({ ...counts, projects: projects.length }))

async function sendWorkers(rows: readonly SyncRow[]): Promise<void> {
  const known = new Map((await readAll('/v1/workers?sort=id&limit=100')).map((worker) => [worker.employee_no, worker]))
  for (const row of rows) {
    const worker = known.get(row.employee_no)
    if (worker === undefined) {
      await ask({ method: 'POST', path: '/v1/workers', headers: keyOf('create', row), body: row })
      counts.created++
    } else if (Object.entries(row).every(([field, value]) => worker[field] === value)) {
      counts.unchanged++
    } else {
      await update(`/v1/workers/${worker.id}`, row)
    }
  }
}

/** Changes the worker as it is now: where somebody else was faster (412), it is read again, once. */
async function update(path: string, row: SyncRow): Promise<void> {
  for (const isLast of [false, true]) {
    const etag = (await ask({ path })).headers.get('ETag') ?? ''
    const headers = { ...keyOf('update', row), 'If-Match': etag }
    const answer = await ask({ method: 'PATCH', path, headers, body: row, statuses: isLast ? [] : [412] })
    if (answer.status !== 412) break
  }
  counts.updated++
}

/** The same row has the same key for the whole night, however often this is started: it is done once. */
function keyOf(action: string, row: SyncRow): Record<string, string> {
  const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex')
  return { 'Idempotency-Key': `${action}-${run}-${digest}` }
}

/** All pages. One that has not changed since the last night is not transferred again (304). */
async function readAll(first: string): Promise<SyncRow[]> {
  for (let attempt = 1; ; attempt++) {
    const rows: SyncRow[] = []
    let total = 0
    for (let path: string | null = first; path !== null; ) {
      const page: Page = await readPage(path)
      rows.push(...page.data)
      total = page.total
      path = page.next
    }
    // A record that goes while pages are read moves the others up, and one of them is between two pages.
    if (new Set(rows.map(({ id }) => id)).size === total || attempt === 3) return rows
  }
}

async function readPage(path: string): Promise<Page> {
  const kept = state.pages[path]
  const answer = await ask({ path, headers: kept ? { 'If-None-Match': kept.etag } : {}, statuses: [304] })
  if (answer.status === 304 && kept) {
    counts.pages_kept++
    return kept
  }
  counts.pages_read++
  const { data, meta } = (await answer.json()) as { data: SyncRow[]; meta: { total: number } }
  const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1]
  const page = {
    etag: answer.headers.get('ETag') ?? '',
    next: next === undefined ? null : next.replace(/^https?:\/\/[^/]+/, ''),
    total: meta.total,
    data,
  }
  state.pages[path] = page
  return page
}

/** One call. What may be repeated is, with the same key: the answer got lost, or the service asks to come again. */
async function ask({ method = 'GET', path, headers = {}, body, statuses = [] }: SyncRequest): Promise<Response> {
  const sent: RequestInit = {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${base}${path}`, { ...sent, signal: AbortSignal.timeout(30_000) }).catch(
      (error: Error) => error,
    )
    if (!(answer instanceof Error) && (answer.ok || statuses.includes(answer.status))) return answer
    const problem = answer instanceof Error ? null : ((await answer.json()) as { code: string; detail: string })
    const isWorthIt =
      problem === null || problem.code === 'idempotency_in_progress' || [429, 503].includes((answer as Response).status)
    if (!isWorthIt || attempt === 6) {
      throw new Error(
        `${method} ${path}: ${problem ? `${problem.code}, ${problem.detail}` : (answer as Error).message}`,
      )
    }
    // The program ends after six attempts, in less than a minute unless the service asks for more.
    if (attempt === 1) console.error(`${base} does not answer ${method} ${path}; trying again.`)
    const asked = answer instanceof Error ? null : Number(answer.headers.get('Retry-After'))
    await new Promise((resolve) => setTimeout(resolve, asked ? asked * 1000 : 100 * 2 ** attempt))
  }
}

async function readState(): Promise<State> {
  try {
    return JSON.parse(await readFile(stateFile, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { pages: {} }
    throw error
  }
}

/** Whole or not at all. */
async function writeState(): Promise<void> {
  const half = `${stateFile}.${randomUUID()}`
  await writeFile(half, JSON.stringify(state))
  await rename(half, stateFile)
}

function readVariable(name: string): string {
  const value = process.env[name]
  if (value) return value
  console.error(`Set ${name}.`)
  process.exit(1)
}
