import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { eventOf, type Limit } from '../wait/wait.ts'

/** Connections that may wait to be accepted. The system may allow fewer. */
const backlog = 4096

/**
 * libuv accepts one connection for each listener and turn of the event loop. Turns are long under load, and with one
 * listener a thousand new callers waited many seconds. Several listeners share the port instead. Only Linux spreads
 * connections over them; behind a primary, the primary accepts.
 */
const listenersMax = 16

export async function openPort({ port, host }: Config, make: () => Server) {
  const where = { host, backlog }
  if (process.platform !== 'linux' || cluster.isWorker) {
    const server = make()
    return { port: await listenOn(server, { ...where, port }), servers: [server] }
  }
  const free = await freePort(port, host)
  const servers = Array.from({ length: listenersMax }, make)
  try {
    for (const server of servers) await listenOn(server, { ...where, port: free, reusePort: true })
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
  return { port: free, servers }
}

/** Finds out whether the port is taken. Listeners that share a port do not notice; one that does not, does. */
async function freePort(port: number, host: string): Promise<number> {
  const probe = createServer()
  const free = await listenOn(probe, { port, host })
  probe.close()
  await eventOf(portLimit, probe, 'close')
  return free
}

/** A host that is a name is looked up first. */
const portLimit: Limit = { ms: 30_000, of: 'opening the port' }

type ListenAddress = { port: number; host: string; backlog?: number; reusePort?: boolean }

/** Listens. Returns the port that was taken. */
export async function listenOn(server: NetServer, where: ListenAddress): Promise<number> {
  server.listen(where)
  await eventOf(portLimit, server, 'listening')
  return (server.address() as AddressInfo).port
}
