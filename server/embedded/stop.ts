import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedProblem } from './problem.ts'
import { readStatus, runs } from './status.ts'

/** Fast shutdown: open transactions are undone, the rest is written out. Returns when PostgreSQL is gone. */
export async function stopServer(cluster: string): Promise<void> {
  const running = await readStatus(cluster)
  if (running.state !== 'alive') return
  try {
    process.kill(running.pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  await gone(cluster, running.pid)
  // Seen off as our own child, so that no dead process is left behind where nobody else does it (a container).
  for (let turn = 0; turn < 5 && runs(running.pid); turn++) await sleep(10)
}

async function gone(cluster: string, pid: number): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const now = await readStatus(cluster)
    if (now.state !== 'alive' || now.pid !== pid) return
    await sleep(20)
  }
  throw new EmbeddedProblem(
    `PostgreSQL (process ${pid}) is still stopping after a minute: it is left to finish by itself.`,
  )
}
