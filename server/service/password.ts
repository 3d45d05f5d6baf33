import { hash, verify } from '@node-rs/argon2'
import type { Problem } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'

/** Passwords: argon2id with OWASP's recommendation, 19 MiB and two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const passwordLengthMin = 10
const passwordLengthMax = 200

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

export function passwordProblems(password: string | undefined, field = 'password'): Problem[] {
  if (password === undefined || (password.length >= passwordLengthMin && password.length <= passwordLengthMax))
    return []
  const message = `must have ${passwordLengthMin} to ${passwordLengthMax} characters`
  return [{ field, code: password.length < passwordLengthMin ? 'too_short' : 'too_long', message }]
}

/**
 * Where a process hashes passwords: a few at a time. Each takes 19 MiB and a core for some time, so without a bound a
 * crowd at the door would take the memory and time of everybody else.
 */
export type PasswordDesk = {
  hash(password: string): Promise<string>
  /** Whether it is the password of that hash. Without a hash it takes as long to say no. */
  isRight(password: string, of: string | null): Promise<boolean>
}

export function openPasswordDesk({ atOnceMax, waitMilliseconds }: { atOnceMax: number; waitMilliseconds: number }) {
  const waiting: (() => void)[] = []
  let running = 0
  let nobodys: Promise<string> | undefined

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnceMax) await turn(waiting, waitMilliseconds)
    else running++
    try {
      return await work()
    } finally {
      // Whoever waits takes this place over; only without one is it given back.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  const desk: PasswordDesk = {
    hash: (password) => inTurn(() => hashPassword(password)),
    isRight: (password, of) =>
      inTurn(async () => {
        nobodys ??= hashPassword(crypto.randomUUID())
        const right = await verify(of ?? (await nobodys), password.slice(0, passwordLengthMax + 1))
        return right && of !== null
      }),
  }
  return desk
}

function turn(waiting: (() => void)[], milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const takeTurn = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(takeTurn), 1)
      reject(new Refusal('unavailable', { headers: { 'Retry-After': '1' } }))
    }, milliseconds)
    waiting.push(takeTurn)
  })
}
