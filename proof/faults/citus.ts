import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, readlink, stat } from 'node:fs/promises'
import { setTimeout as after } from 'node:timers/promises'
import { askOnce, type Rows } from '../postgres.ts'
import { childrenOf, signal, startService } from '../service.ts'
import { type BoundedFault, lastsMs, overNetwork } from './bounded.ts'
import { type Ground, type Lacking, limits } from './ground.ts'

/** A service on a database that distributes companies: that of CITUS_URL, whose servers run on this machine for tests alone. */
export type CitusGround = Ground & { coordinator: Node; workers: Node[] }

type Node = {
  host: string
  port: number
  /** Asks it something as its superuser, in the database of the service. */
  ask(text: string): Promise<Rows>
  /** Kills all of it at one moment. */
  kill(): Promise<void>
  /** Starts it as it was started before, and waits until it answers. */
  start(): Promise<void>
  /** Stops all of its processes for a time. */
  pause(milliseconds: number): Promise<void>
}

export async function openCitusGround(): Promise<CitusGround | Lacking> {
  const url = process.env.CITUS_URL
  if (!url) return { lacks: 'CITUS_URL does not name a cluster' }
  const name = `proof_${process.pid}`
  const found = await ask(
    url,
    'select nodename as host, nodeport as port, groupid = 0 as is_coordinator from pg_dist_node order by groupid',
  )
  const nodes = await Promise.all(
    found.map(({ host, port }) => openNode(url, name, { host: String(host), port: Number(port) })),
  )
  const place = found.findIndex(({ is_coordinator }) => is_coordinator)
  const [coordinator, workers] = [nodes[place] as Node, nodes.filter((_, at) => at !== place)]
  for (const { host, port } of nodes) {
    await ask(at(url, { host, port }), `create database ${name}`)
    await ask(at(url, { host, port, name }), 'create extension citus')
  }
  await coordinator.ask(`select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  for (const { host, port } of workers) await coordinator.ask(`select citus_add_node('${host}', ${port})`)
  const settings = { ...limits, DATABASE_URL: at(url, { ...coordinator, name }) }
  const service = await startService(undefined, { settings })
  return {
    ...{ service, coordinator, workers },
    close: async () => {
      await service.close()
      for (const node of [coordinator, ...workers])
        await ask(at(url, node), `drop database if exists ${name} with (force)`)
    },
  }
}

/** The address of a database of a node. */
function at(url: string, { host, port, name }: { host: string; port: number; name?: string }): string {
  const address = new URL(url)
  address.hostname = host
  address.port = String(port)
  if (name !== undefined) address.pathname = `/${name}`
  return address.href
}

const ask = (url: string, text: string): Promise<Rows> =>
  askOnce({ connectionString: url, connectionTimeoutMillis: 2000 }, text)

async function openNode(url: string, name: string, { host, port }: Pick<Node, 'host' | 'port'>): Promise<Node> {
  const [row] = await ask(at(url, { host, port }), "select pg_read_file('postmaster.pid') as pid")
  let pid = Number.parseInt(String(row?.pid), 10)
  const [program, log, { uid, gid }, line, environment] = await Promise.all([
    readlink(`/proc/${pid}/exe`),
    readlink(`/proc/${pid}/fd/2`),
    stat(`/proc/${pid}`),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readFile(`/proc/${pid}/environ`, 'utf8'),
  ])
  const env = Object.fromEntries(
    environment.split('\0').map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  )
  const isThere = (one: number): Promise<boolean> => stat(`/proc/${one}`).then(isAlive(one), () => false)
  const all = async (): Promise<number[]> => [pid, ...(await childrenOf(pid)).map((child) => child.pid)]
  return {
    ...{ host, port },
    ask: (text) => ask(at(url, { host, port, name }), text),
    async kill() {
      const killed = await all()
      for (const one of killed) signal(one, 'SIGKILL')
      for (const one of killed) while (await isThere(one)) await after(10)
    },
    async start() {
      const out = openSync(log, 'a')
      const child: ChildProcess = spawn(program, line.split('\0').slice(1, -1), {
        ...{ uid, gid, env, detached: true, stdio: ['ignore', out, out], cwd: '/' },
      })
      child.unref()
      closeSync(out)
      pid = child.pid as number
      for (let tries = 0; ; tries++)
        try {
          return void (await ask(at(url, { host, port }), 'select 1'))
        } catch (error) {
          // Replaying its log takes as long as it takes; that is not a time of the service.
          if (tries > 1000) throw error
          await after(50)
        }
    },
    async pause(milliseconds) {
      const stopped = await all()
      for (const one of stopped) signal(one, 'SIGSTOP')
      await after(milliseconds)
      for (const one of stopped) signal(one, 'SIGCONT')
    },
  }
}

/** A process that has ended and waits to be noticed is none. */
const isAlive = (pid: number) => async (): Promise<boolean> =>
  /^\d+ \(.*\) [^ZX]/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))

/** The server that has the company under load, and the part of the tables that it is in. */
async function findPlace({ coordinator, workers }: CitusGround): Promise<{ shard: string; holder: Node; other: Node }> {
  const [row] = await coordinator.ask(
    `select p.shardid::text as shard, n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
    where p.shardid = (select get_shard_id_for_distribution_column('companies', max(id)) from companies)`,
  )
  const holder = workers.find(({ port }) => port === Number(row?.port))
  const other = workers.find((worker) => worker !== holder)
  if (!holder || !other) throw new Error('the company under load is on none of two workers')
  return { shard: String(row?.shard), holder, other }
}

export const faultsOfCitus: readonly BoundedFault<CitusGround>[] = [
  {
    name: 'worker killed, and back',
    bounds: overNetwork,
    make: async (ground) => {
      const { holder } = await findPlace(ground)
      await holder.kill()
      await after(lastsMs)
      await holder.start()
    },
  },
  {
    name: 'worker stopped, and goes on',
    bounds: overNetwork,
    make: async (ground) => (await findPlace(ground)).holder.pause(lastsMs),
  },
  {
    name: 'coordinator killed, and back',
    bounds: overNetwork,
    make: async ({ coordinator }) => {
      await coordinator.kill()
      await after(lastsMs)
      await coordinator.start()
    },
  },
  {
    name: 'company moved to the other worker',
    bounds: overNetwork,
    make: async (ground) => {
      const { shard, holder, other } = await findPlace(ground)
      const [from, to] = [holder, other].map(({ host, port }) => `'${host}', ${port}`)
      await ground.coordinator.ask(`select citus_move_shard_placement(${shard}, ${from}, ${to}, 'force_logical')`)
      if ((await findPlace(ground)).holder !== other) throw new Error('the company has not moved')
    },
  },
]
