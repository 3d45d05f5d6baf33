import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** A port with all that listens on it. */
export type Port = { port: number; servers: Server[] }

/** Connections that may wait to be accepted; systems take less where they allow less. */
const backlog = 4096

/**
 * libuv accepts one connection for each listener and turn of the event loop. Under load turns are long, and with one
 * listener a thousand new callers waited many seconds before they were even heard; several share the port instead.
 * Only Linux spreads connections over them, and behind a primary it is that which accepts.
 */
const listenersMax = 16

export async function openPort({ port, host }: Config, make: () => Server): Promise<Port> {
  const where = { host, backlog }
  if (process.platform !== 'linux' || cluster.isWorker) {
    const server = make()
    return { port: await listening(server, { ...where, port }), servers: [server] }
  }
  const free = await freePort(port, host)
  const servers = Array.from({ length: listenersMax }, make)
  try {
    for (const server of servers) await listening(server, { ...where, port: free, reusePort: true })
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
  return { port: free, servers }
}

/** Listeners that share a port do not notice that somebody else has it too; one that does not share it does. */
async function freePort(port: number, host: string): Promise<number> {
  const probe = createServer()
  const free = await listening(probe, { port, host })
  await new Promise((resolve) => probe.close(resolve))
  return free
}

type Where = { port: number; host: string; backlog?: number; reusePort?: boolean }

async function listening(server: NetServer, where: Where): Promise<number> {
  server.listen(where)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
