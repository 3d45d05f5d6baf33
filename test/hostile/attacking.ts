import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Attack, Ground, Outcome } from './attack.ts'
import type { Order, Report } from './attacker.ts'

/** The process of an attacker, which makes one attack. */
export type Attacker = {
  /** Does what has to be done before. `pid` is what it attacks: that ends with it, even where it is past hearing. */
  prepare(on: { ground: Ground; form: 'short' | 'long'; pid: number }): Promise<void>
  /** Begins; resolves when all has been sent that this form sends. */
  go(): Promise<void>
  /** Ends the attack, and says what it came to. */
  enough(): Promise<Outcome>
  /** Ends the process, whatever it is doing. */
  stop(): void
}

export function startAttacker({ name }: Attack): Attacker {
  const child = fork(join(import.meta.dirname, 'attacker.ts'), { execArgv: [] })
  // An attacker has processors of his own. Here he takes only what the service and its callers leave of these.
  setPriority(child.pid as number, constants.priority.PRIORITY_LOW)
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
  child.once('exit', () => fail(new Error(`the attacker of ${name} ended`)))
  child.on('message', (report: Report) => {
    if ('error' in report) fail(new Error(`${name}: ${report.error}`))
    else if ('outcome' in report) outcome.resolve(report.outcome)
    else if ('placed' in report) placed.resolve()
    else prepared.resolve()
  })
  return {
    prepare: (on) => {
      send({ prepare: { name, ...on } })
      return prepared.promise
    },
    go: () => {
      send({ go: true })
      return placed.promise
    },
    enough: () => {
      send({ enough: true })
      return outcome.promise
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
