import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStage } from '../command/stage.ts'
import { run as ask, serversOf } from '../stage/database.ts'
import { send, type TestResponse } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, untilTold } from '../stage/wait.ts'
import { commandsOfPage, type Node, nodeOf, paste, readValue } from './page.ts'
import { companiesApart, placeOf, processOf, stop } from './servers.ts'

/**
 * The commands of docs/backup.md for a cluster, as they are printed there: given on every node of a real one, while a
 * service writes. Then all nodes are restored to the point in new folders, at the addresses of the old ones.
 */
const secret = 'the sealing key of the tests, long enough'
const point = `trial-${crypto.randomUUID()}`

let stage: Stage
let command: Awaited<ReturnType<typeof createStage>>
let apart: [Company, Company]
let folder: string
let nodes: Node[]
let service: Process | undefined
const startOldOnes: (() => Promise<void>)[] = []
beforeAll(async () => {
  command = await createStage()
  stage = await openStage()
  apart = await companiesApart(stage)
  folder = await mkdtemp(join(tmpdir(), 'plumbline-citus-backup-'))
  nodes = await Promise.all(
    serversOf(stage.connection).map((server, number) =>
      nodeOf(server, number === 0 ? 'coordinator' : `worker${number}`, folder, point),
    ),
  )
  const { uid, gid } = (nodes[0] as Node).user
  await chmod(folder, 0o711)
  await chown(folder, uid, gid)
})
afterAll(async () => {
  await service?.kill()
  if (startOldOnes.length > 0) for (const { server } of nodes) await stop(server).catch(() => undefined)
  for (const start of startOldOnes) await start()
  for (const { server } of nodes ?? []) await archiveNoMore(server)
  await stage?.close()
  await command?.clear()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** A server that has the setting goes on with it until it is started again. */
async function archiveNoMore(server: Node['server']): Promise<void> {
  for (const setting of ['archive_mode', 'archive_timeout', 'archive_command'])
    await ask(server, `alter system reset ${setting}`)
  if ((await readValue(server, 'show archive_mode')) !== 'off') await (await stop(server))()
}

const settings = () => ({ DATABASE_URL: urlOf(stage.connection), PLUMBLINE_SECRET: secret })
const startService = async () => {
  service = await startProcess({ ...settings(), PLUMBLINE_DATA: command.data })
}

type Check = { name: string; ok: boolean; warning?: true; says: string }

async function archiveCheck(): Promise<Check | undefined> {
  const { out } = await command.give(['doctor', '--json'], settings())
  return (JSON.parse(out) as { checks: Check[] }).checks.find(({ name }) => name === 'archive')
}

/** A call of the service that runs as a process of its own. */
function call(company: Company, method: string, path: string, body?: object, key?: string): Promise<TestResponse> {
  const headers: [string, string][] = [['Authorization', `Bearer ${company.token}`]]
  if (key !== undefined) headers.push(['Idempotency-Key', key])
  if (body) headers.push(['Content-Type', 'application/json'])
  return send((service as Process).url, { method, path, headers, body: body && JSON.stringify(body) })
}

type Written = { company: Company; key: string; id: number; text: string }

async function write(company: Company, key: string): Promise<Written> {
  const { status, text, body } = await call(company, 'POST', '/v1/clients', { name: key }, key)
  if (status !== 201) throw new Error(`${key}: ${status} ${text}`)
  return { company, key, id: body.data.id, text }
}

async function writeMany(company: Company, word: string, count: number): Promise<Written[]> {
  const written: Written[] = []
  for (let n = 0; n < count; n++) written.push(await write(company, `${word}-${n}`))
  return written
}

const writeForBoth = async (word: string, count: number): Promise<Written[]> =>
  (await Promise.all(apart.map((company) => writeMany(company, word, count)))).flat()

const cursorNow = async (company: Company): Promise<string> =>
  (await call(company, 'GET', '/v1/changes?after=now')).body.meta.next

/** The ids of records that the feed tells after a cursor. */
async function follow(company: Company, cursor: string): Promise<number[]> {
  const { status, text, body } = await call(company, 'GET', `/v1/changes?limit=100&after=${cursor}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  const told = body.data.map(({ record_id }: { record_id: number }) => record_id)
  return body.meta.more ? [...told, ...(await follow(company, body.meta.next))] : told
}

/**
 * Holds the point back on its way to one worker, after the coordinator has it, for as long as `work` takes. The
 * connection of the coordinator to that worker is open before it waits for our lock, and its process is stopped there.
 */
async function whileOnItsWay(worker: Node['server'], makePoint: () => Promise<unknown>, work: () => Promise<void>) {
  const coordinator = stage.connection
  const { workers: _, ...connection } = coordinator
  const client = new pg.Client(connection)
  await client.connect()
  let stopped: number | undefined
  try {
    await client.query('begin; lock table pg_dist_transaction in row exclusive mode')
    const made = makePoint()
    made.catch(() => undefined)
    const waiting = await eventually(async () => {
      const pid = await readValue<number | undefined>(
        coordinator,
        "select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%citus\\_create\\_restore\\_point%'",
      )
      if (pid === undefined) throw new Error('nobody makes the point')
      return pid
    })
    stopped = await readValue<number>(
      worker,
      `select pid from pg_stat_activity where application_name ~ 'citus_internal gpid=[0-9]+${String(waiting).padStart(10, '0')}$'`,
    )
    process.kill(stopped, 'SIGSTOP')
    const before = await readValue(coordinator, 'select pg_current_wal_insert_lsn()')
    await client.query('commit')
    await eventually(async () => {
      if ((await readValue(coordinator, `select pg_current_wal_insert_lsn() > '${before}'`)) !== true)
        throw new Error('the coordinator has no point yet')
    })
    await work()
    process.kill(stopped, 'SIGCONT')
    stopped = undefined
    await made
  } finally {
    if (stopped !== undefined) process.kill(stopped, 'SIGCONT')
    await client.end()
  }
}

/** How far the ids that a worker holds lead those that the coordinator has drawn. */
const idsAhead = async () =>
  (await readValue<number>(stage.connection, 'select max(id)::int from clients')) -
  (await readValue<number>(stage.connection, 'select last_value::int from clients_id_seq'))

test('A whole cluster comes back to a named point by the commands of docs/backup.md.', async () => {
  const page = await commandsOfPage()
  const block = (heading: string, number = 0): string => {
    const found = page.get(heading)?.[number]
    if (found === undefined) throw new Error(`docs/backup.md has no commands under ${heading}`)
    return found
  }
  const onEach = (heading: string) => Promise.all(nodes.map((node) => paste(node, block(heading))))
  const [coordinator, worker1, worker2] = nodes as [Node, Node, Node]
  const [one, other] = apart
  const variables = [...block('For each node').matchAll(/(\w+)=/g)].map(([, name]) => name)
  expect(variables.filter((name) => !((name as string) in coordinator.environment))).toEqual([])
  expect([...page.keys()]).toEqual([
    ...['For each node', 'Let every node archive', 'Make a base backup of every node', 'Name a moment'],
    ...['Bring the cluster back to it', 'Before the service starts'],
  ])

  // Every node archives, and until then doctor says which does not.
  expect(await archiveCheck()).toMatchObject({ ok: true, warning: true })
  await onEach('Let every node archive')
  for (const { server } of [coordinator, worker1]) await (await stop(server))()
  const second = `${worker2.server.host}:${worker2.server.port}`
  const lacking = await archiveCheck()
  expect(lacking).toMatchObject({ warning: true, says: expect.stringContaining(`${second} archives nothing: `) })
  expect(lacking?.says).not.toContain(`${worker1.server.port} archives`)
  const start = await stop(worker2.server)
  const away = await archiveCheck()
  await start()
  expect(away).toMatchObject({ warning: true, says: expect.stringContaining(`${second} does not answer (`) })
  const isArchiving = { ok: true, says: expect.stringContaining('every node archives its log: the coordinator last ') }
  expect(await archiveCheck()).toMatchObject(isArchiving)
  expect(await archiveCheck()).not.toHaveProperty('warning')
  for (const [words, sentence] of [
    [['backup', 'x'], /back up every node, .*citus_create_restore_point.*every node archives its log/],
    [['restore', 'x'], /stop every node, .*the same recovery_target_name/],
    [['backup', 'verify', 'x'], /the base backup of every node by pg_verifybackup/],
  ] as const) {
    const { code, err } = await command.give(words, settings())
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(sentence) })
    expect(err).not.toContain('$DATABASE_URL')
    expect(err).toContain('docs/backup.md has the commands under "A Citus cluster".')
  }

  // The service writes while the base backups are made, before the point, on its way, and after it.
  await startService()
  const [during] = await Promise.all([writeForBoth('during', 20), onEach('Make a base backup of every node')])
  const cursors = await Promise.all(apart.map(cursorNow))
  const before = await writeForBoth('before', 5)
  const slow = (await placeOf(stage, other.id)).port === worker1.server.port ? worker1 : worker2
  let between: Written[] = []
  const makePoint = () => paste(coordinator, block('Name a moment'))
  await whileOnItsWay(slow.server, makePoint, async () => {
    between = await writeMany(other, 'between', 60)
  })
  const after = await writeForBoth('after', 5)
  await untilTold(stage)
  const laterCursors = await Promise.all(apart.map(cursorNow))
  const show = async (written: readonly Written[]) => {
    const shown: Pick<TestResponse, 'status' | 'text'>[] = []
    for (const { company, id } of written) {
      const { status, text } = await call(company, 'GET', `/v1/clients/${id}`)
      shown.push({ status, text })
    }
    return shown
  }
  const kept = [...during, ...before, ...between]
  const shown = await show(kept)

  // What is behind the point is in the archive too: the restore has to leave it there.
  await service?.stop()
  for (const { server } of nodes) await ask(server, 'select pg_switch_wal()')
  for (const { server } of nodes)
    for (const setting of ['archive_mode', 'archive_timeout', 'archive_command'])
      await ask(server, `alter system reset ${setting}`)
  const oldOnes = await Promise.all(nodes.map(async ({ server }) => (await processOf(server)).pid))
  for (const { server } of [...nodes].reverse()) startOldOnes.push(await stop(server))

  for (const node of [worker1, worker2, coordinator]) await paste(node, block('Bring the cluster back to it'))
  expect(await Promise.all(nodes.map(async ({ server }) => (await processOf(server)).pid))).not.toEqual(oldOnes)
  for (const { server, environment } of nodes)
    expect(await readValue(server, 'show data_directory')).toBe(environment.PGDATA)
  // The worker reached the point later than the coordinator, which would draw its ids again.
  expect(await idsAhead()).toBeGreaterThan(0)
  await paste(coordinator, block('Before the service starts'))
  expect(await idsAhead()).toBeLessThan(0)

  const { code, out } = await command.give(['doctor', '--json'], settings())
  const { checks } = JSON.parse(out) as { checks: Check[] }
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  expect(code).toBe(0)
  expect(checks.find(({ name }) => name === 'archive')).toMatchObject(isArchiving)

  await startService()
  expect(await show(kept)).toEqual(shown)
  expect((await show(after)).map(({ status }) => status)).toEqual(after.map(() => 404))
  // Such a cursor is refused only once the log of its company goes on.
  for (const [number, company] of apart.entries()) {
    const { status, body } = await call(company, 'GET', `/v1/changes?after=${laterCursors[number]}`)
    expect({ status, data: body.data }).toEqual({ status: 200, data: [] })
  }
  for (const { company, key, id } of kept) {
    const { status, body, headers } = await call(company, 'POST', '/v1/clients', { name: key }, key)
    expect({ status, id: body.data.id, replayed: headers['idempotency-replayed'] }).toEqual({
      status: 201,
      id,
      replayed: 'true',
    })
  }
  const used = new Set([...kept, ...after].map(({ id }) => id))
  for (const { company, key } of after) {
    const { status, body, headers } = await call(company, 'POST', '/v1/clients', { name: key }, key)
    expect({ status, replayed: headers['idempotency-replayed'] }).toEqual({ status: 201, replayed: undefined })
    expect(used).not.toContain(body.data.id)
    used.add(body.data.id)
  }
  await untilTold(stage)
  for (const [number, company] of [one, other].entries()) {
    const own = await stage.sql<{ id: number }>(
      "select id from clients where company_id = $1 and name !~ '^during' order by id",
      company.id,
    )
    expect(await follow(company, cursors[number] as string)).toEqual(own.map(({ id }) => id))
    const gone = await call(company, 'GET', `/v1/changes?after=${laterCursors[number]}`)
    expect({ status: gone.status, code: gone.body.code }).toEqual({ status: 410, code: 'cursor_gone' })
  }
  expect(await readFile(`${coordinator.environment.PGDATA}.log`, 'utf8')).toContain(
    'recovery stopping at restore point',
  )
}, 300_000)
