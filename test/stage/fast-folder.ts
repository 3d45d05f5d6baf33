import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/**
 * A parent for data folders whose PostgreSQL is killed: the run's own folder in memory, where there is room, as each new
 * start writes all of it to the disk.
 */
export async function fastFolder(): Promise<string> {
  const { PLUMBLINE_TEST_MEMORY: memory = tmpdir() } = process.env
  const { bavail, bsize } = await statfs(memory)
  return bavail * bsize > 1024 ** 3 ? memory : tmpdir()
}
