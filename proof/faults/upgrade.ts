import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { drawer } from '../draw.ts'
import { openNetwork } from '../network.ts'
import { pause } from '../operations.ts'
import { databaseUrl, makePostgres } from '../postgres.ts'
import { type Service, startService } from '../service.ts'

/** A database of an earlier version whose upgrade was killed again and again, and then was let through. */
export type UpgradeTrial = {
  version: string
  /** How many migrations were done at each kill, of how many. */
  doneAtKills: number[]
  migrations: number
  /** Rows of tables, reads and retries under keys that were compared with what they were before. */
  rows: number
  reads: number
  replays: number
  wrong: string[]
}

type Snapshot = { database: string; token: string; answers: AnsweredCall[] }
type AnsweredCall = {
  method: string
  path: string
  headers: { [name: string]: string }
  body?: unknown
  status: number
  answer: unknown
}

const root = join(import.meta.dirname, '../..')
const snapshots = join(root, 'test/upgrade/snapshots')
/** The key that sealed the tokens of the snapshots. */
const secret = 'the sealing key of the snapshots, long enough'
const killsMax = 8

/** Kills the upgrade of what each earlier version left at drawn moments, lets it through, and compares what is there. */
export async function killUpgrades(seed: number): Promise<UpgradeTrial[]> {
  const trials: UpgradeTrial[] = []
  for (const name of readdirSync(snapshots).toSorted()) trials.push(await killUpgrade(name, drawer(seed)))
  return trials
}

async function killUpgrade(name: string, draw: () => number): Promise<UpgradeTrial> {
  const snapshot: Snapshot = JSON.parse(gunzipSync(readFileSync(join(snapshots, name))).toString('utf8'))
  const postgres = await makePostgres()
  const network = await openNetwork(postgres.socket)
  const client = new pg.Client({ host: dirname(postgres.socket), user: 'plumbline', database: 'plumbline' })
  const settings = { DATABASE_URL: databaseUrl(network.port), PLUMBLINE_SECRET: secret }
  let service: Service | undefined
  try {
    await client.connect()
    await client.query(snapshot.database)
    await client.query("select set_config('search_path', 'public', false)")
    const before = await countRows(client)
    const doneAtKills: number[] = []
    const total = readdirSync(join(root, 'migrations')).length
    for (let done = await countDone(client); doneAtKills.length < killsMax && done < total - 1; ) {
      done = await killMigrating(client, settings, { from: done + 1 + Math.floor(draw() * 3), lateMs: 20 * draw() })
      doneAtKills.push(done)
    }
    await startMigrating(settings).ended
    const wrong: string[] = []
    const migrations = await countDone(client)
    if (migrations !== total) wrong.push(`${migrations} of ${total} migrations are done`)
    const after = await countRows(client)
    let rows = 0
    for (const [table, count] of before) {
      rows += count
      if (after.get(table) !== count) wrong.push(`${table} has ${after.get(table)} of ${count} rows`)
    }
    service = await startService(undefined, { settings })
    // Answers are kept for a day, and a snapshot is older.
    await client.query('update answers set completed_at = now()')
    const said = await compareAnswers(service.url, snapshot, wrong)
    return { version: name.replace('.json.gz', ''), doneAtKills, migrations, rows, ...said, wrong }
  } finally {
    await client.end()
    await service?.close()
    await network.close()
    await postgres.close()
  }
}

const countDone = async (client: pg.Client): Promise<number> =>
  (await client.query<{ done: number }>('select count(*)::int as done from migrations')).rows[0]?.done as number

type Settings = { [name: string]: string }

/** Starts to bring the database up to date, as the start of the service does. */
function startMigrating(settings: Settings): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [join(root, 'server/commands/main.ts'), 'migrate'], {
    env: { ...process.env, ...settings, LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  })
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)) }
}

/** Kills an upgrade a moment after so many migrations are done. Returns how many are done then. */
async function killMigrating(
  client: pg.Client,
  settings: Settings,
  { from, lateMs }: { from: number; lateMs: number },
): Promise<number> {
  const { child, ended } = startMigrating(settings)
  while (child.exitCode === null && (await countDone(client)) < from) await pause(2)
  await pause(lateMs)
  child.kill('SIGKILL')
  await ended
  return countDone(client)
}

/** The rows of each table but for that of the migrations. */
async function countRows(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1",
  )
  const counts = new Map<string, number>()
  for (const { name } of rows) {
    const counted = await client.query<{ rows: number }>(`select count(*)::int as rows from ${name}`)
    counts.set(name, counted.rows[0]?.rows as number)
  }
  return counts
}

/** Asks anew what was read, and sends again what was written under a key. */
async function compareAnswers(url: string, { token, answers }: Snapshot, wrong: string[]) {
  const ask = async ({ method, path, headers, body }: AnsweredCall) => {
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const heard = await fetch(`${url}${path}`, {
      ...{ method, headers: { ...headers, ...json, Authorization: `Bearer ${token}` } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await heard.text()
    const isReplay = heard.headers.get('idempotency-replayed') === 'true'
    return {
      status: heard.status,
      isReplay,
      answer: /json/.test(heard.headers.get('content-type') ?? '') && JSON.parse(text),
    }
  }
  const reads = answers.filter(({ method }) => method === 'GET')
  const kept = answers.filter(({ headers, status }) => headers['Idempotency-Key'] && status < 300)
  for (const call of reads) {
    const { status, answer } = await ask(call)
    if (status !== call.status || (status === 200 && !holds(answer, call.answer)))
      wrong.push(`GET ${call.path} is answered ${status} ${JSON.stringify(answer)}`)
  }
  for (const call of kept) {
    const { status, isReplay, answer } = await ask(call)
    if (status !== call.status || !isReplay || !holds(answer, call.answer))
      wrong.push(`${call.method} ${call.path} sent again is answered ${status} ${JSON.stringify(answer)}`)
  }
  if (reads.length === 0 || kept.length === 0) wrong.push('there is nothing to compare')
  return { reads: reads.length, replays: kept.length }
}

/** Whether a value has all that another one has; an object may have more members. */
function holds(value: unknown, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return value === other
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(other) && (!Array.isArray(value) || value.length !== other.length)) return false
  return Object.entries(other).every(([name, one]) => holds((value as { [name: string]: unknown })[name], one))
}
