import { hash, verify } from '@node-rs/argon2'
import type { Owner } from '#derive/password.ts'
import type { Problem } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'

/** Passwords: argon2id with OWASP's recommendation, 19 MiB and two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** In UTF-16 units: more than any password has, so that a longer one is told from each of them. */
const comparedMax = 257

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

/** What is wrong with a new password. Those that there are go on, whatever they are. */
export async function passwordProblems(password: string, owner: Owner, field: string): Promise<Problem[]> {
  const { passwordProblem } = await import('#derive/password.ts')
  const problem = passwordProblem(password, owner, field)
  return problem ? [problem] : []
}

/**
 * Where a process hashes passwords: a few at a time. Each takes 19 MiB and a core for some time, so without a bound a
 * crowd that signs in would take the memory and time of everybody else.
 */
export type PasswordQueue = {
  /** For somebody who is signed in. */
  hash(password: string): Promise<string>
  /** Whether somebody who is signed in gives the password of that hash. */
  isRight(password: string, of: string): Promise<boolean>
  /** Which of these hashes, `count` at most, the password is right for. It takes as long as comparing with `count`. */
  matches(password: string, hashes: readonly string[], count: number, from: QueueOrigin): Promise<boolean[]>
}

/** Who waits: somebody known, by a session or a device, or a stranger, told by his network. */
export type QueueOrigin = 'known' | { stranger: string }

type QueueOptions = { atOnceMax: number; waitMilliseconds: number }
type WaitingHash = { from: QueueOrigin; begin(): void }

/** A person who works here waits longer for his turn than a stranger, before he is told to come back. */
const knownWaitFactor = 4

/** Waiting strangers of one network. */
const waitingPerPeerMax = 2

export function openPasswordQueue({ atOnceMax, waitMilliseconds }: QueueOptions): PasswordQueue {
  // One slot is kept for those who are known, and the next one is theirs before it is a stranger's: a crowd of strangers
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
    if (next >= 0) waiting.splice(next, 1)[0]?.begin()
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
    return new Promise((resolve, reject) => {
      const entry: WaitingHash = {
        from,
        begin: () => {
          clearTimeout(timer)
          begin(from)
          resolve()
        },
      }
      const waitMost = from === 'known' ? waitMilliseconds * knownWaitFactor : waitMilliseconds
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(createBusyRefusal())
      }, waitMost)
      waiting.push(entry)
    })
  }

  const compare = (password: string, of: string): Promise<boolean> => verify(of, password.slice(0, comparedMax))
  return {
    hash: (password) => inTurn('known', () => hashPassword(password)),
    isRight: (password, of) => inTurn('known', () => compare(password, of)),
    matches: (password, hashes, count, from) =>
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
