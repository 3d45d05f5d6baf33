/**
 * What the bundled PostgreSQL needs in the background never keeps Node alive (its process, our connection, timers are
 * all unref'd); while somebody waits for opening or closing, this does.
 */
export async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
  const hold = setInterval(() => undefined, 60_000)
  try {
    return await work()
  } finally {
    clearInterval(hold)
  }
}
