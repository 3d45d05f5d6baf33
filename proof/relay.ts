import { createServer, type Socket } from 'node:net'

/** The end of a line to which a chunk, or the end of the other side, is delivered. */
export type Way = 'database' | 'service'
export type Line = { near: Socket; far: Socket }

export type Relay<L extends Line> = {
  port: number
  lines: ReadonlySet<L>
  /** Ends listening alone: open lines stay. */
  refuse(): void
  /** Listens again, on the same port. */
  accept(): Promise<void>
  close(): Promise<void>
}

/**
 * Listens on a port of this machine and connects each caller to a socket of PostgreSQL. `open` makes the line of a caller,
 * or refuses the caller by null. `deliver` decides when `act` is done, which hands a chunk over, or ends the line if no
 * chunk is given.
 */
export async function openRelay<L extends Line>(
  open: (near: Socket) => L | null,
  deliver: (line: L, to: Way, act: () => void, chunk?: Buffer) => void,
): Promise<Relay<L>> {
  const lines = new Set<L>()
  const server = createServer((near) => {
    const line = open(near)
    if (line === null) return void near.resetAndDestroy()
    const { far } = line
    lines.add(line)
    near.setNoDelay(true)
    near.on('error', () => {}).on('close', () => deliver(line, 'database', () => far.destroySoon()))
    far.on('error', () => {}).on('close', () => deliver(line, 'service', () => near.destroySoon()))
    for (const end of [near, far]) end.on('close', () => near.closed && far.closed && lines.delete(line))
    near.on('data', (chunk) => deliver(line, 'database', () => far.destroyed || far.write(chunk), chunk))
    far.on('data', (chunk) => deliver(line, 'service', () => near.destroyed || near.write(chunk), chunk))
  })
  const listen = (on: number): Promise<void> => new Promise((resolve) => server.listen(on, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as { port: number }
  return {
    ...{ port, lines },
    refuse: () => void server.close(),
    accept: async () => {
      if (!server.listening) await listen(port)
    },
    close: () =>
      new Promise((resolve) => {
        for (const { near, far } of lines) for (const end of [near, far]) end.destroy()
        server.close(() => resolve())
      }),
  }
}
