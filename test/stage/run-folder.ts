import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { weAreRoot } from '#server/embedded/identity.ts'

/**
 * The temporary folder of one run, which its workers and programs get as TMPDIR. It is new, so nothing that another user
 * left in the shared temporary folder is in the way, and its removal takes away whatever a killed program left behind.
 * Others have no access, except where root runs the tests: programs that root starts as another user create files in it.
 */
export default async function setup() {
  const shared = process.env.TMPDIR
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-'))
  await chmod(folder, weAreRoot() ? 0o1733 : 0o700)
  process.env.TMPDIR = folder
  return async () => {
    if (shared === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = shared
    await unmountBelow(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Unmounts the disks that a test which failed, or was killed, left in the folder: it could not be removed otherwise. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  for (const line of mounts.split('\n')) {
    const mountedOn = line.split(' ')[1]
    if (mountedOn?.startsWith(`${folder}/`)) execFileSync('umount', ['--lazy', mountedOn])
  }
}
