import { spawn } from 'node:child_process'
import { type Identity, spawnAs } from './identity.ts'

/** Runs a program as `identity` to its end; never rejects. */
export function run(
  identity: Identity,
  file: string,
  args: readonly string[],
  input = '',
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    let output = ''
    const failed = (error: unknown) => resolve({ ok: false, output: String(error) })
    try {
      const child = spawn(file, args, { ...spawnOptions(identity), stdio: 'pipe' })
      child.stdout.on('data', (chunk) => (output += chunk))
      child.stderr.on('data', (chunk) => (output += chunk))
      child.stdin.on('error', () => undefined)
      child.on('error', failed)
      child.on('close', (code) => resolve({ ok: code === 0, output }))
      child.stdin.end(input)
    } catch (error) {
      // A system call of spawn itself that is not allowed, such as becoming another user.
      failed(error)
    }
  })
}

/**
 * File work in folders of another user is done by that user, never by root: root would follow a link planted there.
 * The arguments are $1, $2, … of the script.
 */
export const shell = (
  identity: Identity,
  script: string,
  ...args: string[]
): Promise<{ ok: boolean; output: string }> => run(identity, '/bin/sh', ['-c', script, 'sh', ...args])

/** Nothing of our environment: PGPORT and the like would change PostgreSQL's defaults, and secrets do not belong there. */
export const spawnOptions = (identity: Identity) => ({
  ...spawnAs(identity),
  cwd: '/',
  env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
})
