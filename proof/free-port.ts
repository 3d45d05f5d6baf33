import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below the range from which Linux and macOS assign them, so that no server that asks for any port takes one. */
const ports = { from: 12_000, below: 32_000 }

/** Returns a port of this machine that nobody listens on. */
export async function findFreePort(): Promise<number> {
  const port = ports.from + Math.floor(Math.random() * (ports.below - ports.from))
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return findFreePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
