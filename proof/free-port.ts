import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below those that Linux and macOS give to servers that ask for any: no such server takes one in between. */
const ports = { from: 12_000, below: 32_000 }

/** Returns a port of this machine that nobody listens on. */
export async function findFreePort(): Promise<number> {
  const port = ports.from + Math.floor(Math.random() * (ports.below - ports.from))
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return findFreePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
