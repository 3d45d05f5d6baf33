import { batchTimeoutMs } from '#server/store/bounds.ts'
import { pause } from '../../stage/wait.ts'
import { type Measurements, startProbe } from './probe.ts'
import { limits, type Target } from './targets.ts'

/** A way in which something that the service stands on fails, and what callers are promised meanwhile. */
export type Fault<On extends Target> = {
  title: string
  /** How long it lasts; 0 where the service has to come back by itself at once. */
  lastsMs?: number
  /** How often it happens, each time once the service is back. */
  times?: number
  /** Whether a new connection to the database works meanwhile. */
  isReachable: boolean
  /** Whether the token is rotated while it lasts. */
  revokes?: boolean
  /** What callers may hear while it lasts, beside successes; 0 is a connection that ended without an answer. */
  heard?: readonly number[]
  /** The bound of the recovery, where it is not that of a lost connection. */
  backMs?: number
  begin(target: On): Promise<() => Promise<void>>
}

export const seconds = (count: number): number => count * 1000

/** `D` of docs/reliability/liveness.md, from the settings of the tests. */
export const stallMs = limits.connectTimeout + batchTimeoutMs(limits)
/** What a machine that is busy with other tests adds at most. */
const busyMs = seconds(4)

/** Makes the fault under load and returns what callers measured. */
export async function suffer<On extends Target>(target: On, fault: Fault<On>): Promise<Measurements> {
  const probe = startProbe(target.service.url, target.token(), fault)
  await pause(300)
  for (let time = 0; time < (fault.times ?? 1); time++) {
    probe.faultBegins()
    const end = await fault.begin(target)
    const lasting = pause(fault.lastsMs ?? 0)
    if (fault.revokes) await probe.revoke(target.rotate)
    await lasting
    await end()
    await probe.faultEnds()
  }
  return probe.finish()
}

/** Lists what was promised and not kept. */
export function listBroken<On extends Target>(fault: Fault<On>, seen: Measurements): string[] {
  const { lastsMs = 0, isReachable, heard = [503], backMs = stallMs } = fault
  const within = (name: string, ms: number | null, bound: number): string[] =>
    ms === null || ms <= bound + busyMs ? [] : [`${name}: ${Math.round(ms)} ms, ${bound} ms are promised`]
  const unexpected = Object.keys(seen.heard).filter(
    (status) => ![200, 201, 401, 409, ...heard].includes(Number(status)),
  )
  return [
    ...seen.violations,
    ...unexpected.map((status) => `${seen.heard[Number(status)]} answers of ${status}`),
    ...within('L1, the first answer', seen.firstAnswerMs, stallMs + limits.statementTimeout),
    ...within('L2, the key is settled', seen.settledMs, isReachable ? stallMs : backMs),
    ...within('L3, the feed goes on', seen.feedMs, isReachable ? stallMs : backMs + lastsMs),
    ...within('L4, the token is rotated', seen.revocationMs, 2 * stallMs),
    ...within('L5, the service is back', seen.backMs, backMs),
  ]
}
