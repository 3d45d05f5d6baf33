import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A run starts the same few programs, and its own workers, hundreds of times: what Node has made of their source is kept
 * in the folder of the run, which goes with it. Who may not write there does without.
 */
export default async function setup() {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-compiled-'))
  process.env.NODE_COMPILE_CACHE = folder
}

/** What a process that is started with an environment of its own needs of ours. */
export function passedOn(): { [name: string]: string } {
  const { PATH = '', NODE_COMPILE_CACHE, TMPDIR } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), ...(TMPDIR ? { TMPDIR } : {}) }
}
