import { spawn } from 'node:child_process'
import { readFile, readlink, stat } from 'node:fs/promises'
import { run as ask } from '../stage/database.ts'
import type { Server } from '../stage/postgres.ts'
import type { Company, Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** The server that holds a company, and the part of the tables that it is in. */
export type Place = { host: string; port: number; shard: string }

export async function placeOf({ connection }: Stage, companyId: number): Promise<Place> {
  const [place] = (await ask(
    connection,
    `select n.nodename as host, n.nodeport as port, p.shardid::text as shard
    from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where p.shardid = get_shard_id_for_distribution_column('companies', ${companyId})`,
  )) as Place[]
  if (!place) throw new Error(`company ${companyId} is nowhere`)
  return place
}

/** A company on each of two servers. */
export async function companiesApart(stage: Stage): Promise<[Company, Company]> {
  const one = await stage.company()
  const { port } = await placeOf(stage, one.id)
  for (;;) {
    const other = await stage.company()
    if ((await placeOf(stage, other.id)).port !== port) return [one, other]
  }
}

/** Takes a company, with all that is in its part of the tables, to the other server, while it is written to. */
export async function move(stage: Stage, companyId: number): Promise<void> {
  const { host, port, shard } = await placeOf(stage, companyId)
  const other = (stage.connection.workers ?? []).find((worker) => worker.port !== port)
  if (!other) throw new Error('there is one server alone')
  await ask(
    stage.connection,
    `select citus_move_shard_placement(${shard}, '${host}', ${port}, '${other.host}', ${other.port}, 'force_logical')`,
  )
}

/** The postmaster of a server on this machine. */
export async function processOf(server: Server): Promise<{ pid: number; program: string; uid: number; gid: number }> {
  const [row] = (await ask(server, "select pg_read_file('postmaster.pid') as pid")) as { pid: string }[]
  const pid = Number.parseInt(row?.pid ?? '', 10)
  const [program, { uid, gid }] = await Promise.all([readlink(`/proc/${pid}/exe`), stat(`/proc/${pid}`)])
  return { pid, program, uid, gid }
}

/** Stops a server and whatever it does; what comes back starts it again, as it was started. */
export async function stop(server: Server): Promise<() => Promise<void>> {
  const { pid, program, uid, gid } = await processOf(server)
  const [line, environment] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readFile(`/proc/${pid}/environ`, 'utf8'),
  ])
  const env = Object.fromEntries(
    environment.split('\0').map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  )
  process.kill(pid, 'SIGINT')
  await eventually(async () => {
    const alive = await stat(`/proc/${pid}`).catch(() => undefined)
    if (alive) throw new Error('it is still there')
  })
  return async () => {
    const options = { uid, gid, env, detached: true, stdio: 'ignore', cwd: '/' } as const
    spawn(program, line.split('\0').slice(1, -1), options).unref()
    await eventually(() => ask(server, 'select 1'))
  }
}
