import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Attack, Ground, Outcome } from './attack.ts'
import type { Order, Report } from './attacker.ts'

/** An attack that is ready in the process of the attacker. */
export type Attacking = {
  /** Begins; resolves when all has been sent that this form sends. */
  go(): Promise<void>
  /** Ends it, and says what it came to. */
  enough(): Promise<Outcome>
  /** Ends its process, whatever it is doing. */
  stop(): void
}

/** `pid` is the process that is attacked: it ends with the attacker, even where it is past hearing. */
export async function prepare(
  attack: Attack,
  on: { ground: Ground; form: 'short' | 'long'; pid: number },
): Promise<Attacking> {
  const child = fork(join(import.meta.dirname, 'attacker.ts'), { execArgv: [] })
  const send = (order: Order): void => void child.send(order)
  const [prepared, placed, outcome] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<Outcome>(),
  ]
  const fail = (error: Error): void => {
    for (const { reject, promise } of [prepared, placed, outcome]) {
      promise.catch(() => {})
      reject(error)
    }
  }
  child.once('error', fail)
  child.once('exit', () => fail(new Error(`the attacker of ${attack.name} ended`)))
  child.on('message', (report: Report) => {
    if ('error' in report) fail(new Error(`${attack.name}: ${report.error}`))
    else if ('outcome' in report) outcome.resolve(report.outcome)
    else if ('placed' in report) placed.resolve()
    else prepared.resolve()
  })
  send({ prepare: { name: attack.name, ...on } })
  const stop = (): void => void child.kill('SIGKILL')
  await prepared.promise.catch((error) => {
    stop()
    throw error
  })
  return {
    go: () => {
      send({ go: true })
      return placed.promise
    },
    enough: () => {
      send({ enough: true })
      return outcome.promise
    },
    stop,
  }
}
