import { readFileSync } from 'node:fs'
import { EmbeddedProblem } from './problem.ts'

/** Who PostgreSQL runs as. */
export type Identity = {
  uid: number
  gid: number
  name: string
  /** We are root and switch to this one; otherwise it is ourselves. */
  other: boolean
}

export const ourselves = (): Identity => named(process.geteuid?.() ?? 0, process.getegid?.() ?? 0, false)

export const weAreRoot = (): boolean => process.geteuid?.() === 0

/** Somebody else may act as this user too: other programs use it. */
export const isShared = ({ name }: Identity): boolean => name === 'nobody'

/**
 * PostgreSQL refuses to run as root. The user of the settings, made by the operator; else `nobody`, who exists almost
 * everywhere, so that no user has to be made.
 */
export function unprivileged(wanted: string | null): Identity {
  if (wanted !== null) return operators(wanted)
  const nobody = passwd().find((line) => line.name === 'nobody')
  return nobody ? { ...nobody, other: true } : named(65_534, 65_534, true)
}

function operators(name: string): Identity {
  const user = passwd().find((line) => line.name === name)
  if (user && user.uid !== 0) return { ...user, other: true }
  throw new EmbeddedProblem(
    user
      ? `PostgreSQL does not run as root: set PLUMBLINE_DATABASE_USER to another user.`
      : `There is no user "${name}": make it ("useradd --system ${name}"), or leave PLUMBLINE_DATABASE_USER out.`,
  )
}

/** Root starts a cluster as the one it belongs to. */
export const ownerOf = (owner: { uid: number; gid: number }): Identity => named(owner.uid, owner.gid, true)

/** spawn wants signed numbers: macOS gives nobody the id -2, which a stat shows as 4294967294. */
export const spawnAs = ({ uid, gid, other }: Identity): { uid?: number; gid?: number } =>
  other ? { uid: uid | 0, gid: gid | 0 } : {}

function named(uid: number, gid: number, other: boolean): Identity {
  return { uid, gid, name: passwd().find((line) => line.uid === uid)?.name ?? String(uid), other }
}

function passwd(): { name: string; uid: number; gid: number }[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .filter((line) => /^[^#:]+:[^:]*:-?\d+:-?\d+:/.test(line))
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }))
  } catch {
    return []
  }
}
