import { hash, verify } from '@node-rs/argon2'
import type { Owner } from '#derive/password.ts'
import type { Problem } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { waitFor } from '../wait/wait.ts'

/** Passwords: argon2id with OWASP's recommendation, 19 MiB and two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Compared length in UTF-16 units: more than any password has, so that a longer text equals none. */
const comparedMax = 257

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

/** Returns the problems of a new password. Existing passwords stay valid, whatever they are. */
export async function passwordProblems(password: string, owner: Owner, field: string): Promise<Problem[]> {
  const { passwordProblem } = await import('#derive/password.ts')
  const problem = passwordProblem(password, owner, field)
  return problem ? [problem] : []
}

export type PasswordQueue = ReturnType<typeof openPasswordQueue>

/** The waiting caller: known by a session or a device, or a stranger of a network. */
export type QueueOrigin = 'known' | { stranger: string }

type QueueOptions = { atOnceMax: number; waitMilliseconds: number }
type WaitingHash = { from: QueueOrigin; admit(): void }

/** A known caller waits this many times longer than a stranger before the refusal. */
const knownWaitFactor = 4

/** Strangers of one network that may wait at once. */
const waitingPerPeerMax = 2

/**
 * Opens the queue in which a process hashes passwords, a few at a time. Each takes 19 MiB and a core for some time.
 * Without a limit, many sign-ins would take the memory and time of all others.
 */
export function openPasswordQueue({ atOnceMax, waitMilliseconds }: QueueOptions) {
  // One slot is reserved for known callers, and they get the next free one before strangers: a crowd of strangers
  // cannot keep them from signing in.
  const strangersMax = Math.max(1, atOnceMax - 1)
  const waiting: WaitingHash[] = []
  const running = { all: 0, strangers: 0 }
  let nobodys: Promise<string> | undefined

  const hasSlot = (from: QueueOrigin): boolean =>
    running.all < atOnceMax && (from === 'known' || running.strangers < strangersMax)
  const begin = (from: QueueOrigin): void => {
    running.all++
    if (from !== 'known') running.strangers++
  }
  const end = (from: QueueOrigin): void => {
    running.all--
    if (from !== 'known') running.strangers--
    const known = waiting.findIndex((one) => one.from === 'known')
    const next = known >= 0 ? known : waiting.findIndex((one) => hasSlot(one.from))
    const [admitted] = next >= 0 ? waiting.splice(next, 1) : []
    if (!admitted) return
    begin(admitted.from)
    admitted.admit()
  }

  const inTurn = async <T>(from: QueueOrigin, work: () => Promise<T>): Promise<T> => {
    if (hasSlot(from)) begin(from)
    else await queued(from)
    try {
      return await work()
    } finally {
      end(from)
    }
  }

  const queued = (from: QueueOrigin): Promise<void> => {
    const ofPeer = from === 'known' ? 0 : waiting.filter((one) => isSame(one.from, from)).length
    if (ofPeer >= waitingPerPeerMax) throw createBusyRefusal()
    const waitMost = from === 'known' ? waitMilliseconds * knownWaitFactor : waitMilliseconds
    return waitFor<void>('its own timer', (resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(createBusyRefusal())
      }, waitMost)
      const admit = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const entry = { from, admit }
      waiting.push(entry)
    })
  }

  const compare = (password: string, of: string): Promise<boolean> => verify(of, password.slice(0, comparedMax))
  return {
    hash: (password: string): Promise<string> => inTurn('known', () => hashPassword(password)),
    /** Returns whether a signed-in account gives the password of a hash. */
    isRight: (password: string, of: string): Promise<boolean> => inTurn('known', () => compare(password, of)),
    /** Returns which of these hashes, `count` at most, match the password. It takes as long as `count` comparisons. */
    matches: (password: string, hashes: readonly string[], count: number, from: QueueOrigin): Promise<boolean[]> =>
      inTurn(from, async () => {
        nobodys ??= hashPassword(crypto.randomUUID())
        const nobody = await nobodys
        const right: boolean[] = []
        for (let index = 0; index < count; index++) right.push(await compare(password, hashes[index] ?? nobody))
        return right.slice(0, hashes.length)
      }),
  }
}

const isSame = (one: QueueOrigin, other: QueueOrigin): boolean =>
  one !== 'known' && other !== 'known' && one.stranger === other.stranger

const createBusyRefusal = (): Refusal => new Refusal('unavailable', { headers: { 'Retry-After': '1' } })
