import type { Attack, Ground, Outcome } from './attack.ts'
import { attackNamed } from './attacks/index.ts'
import { createToolkit } from './toolkit.ts'

/**
 * The process that attacks, so that whoever measures is not disturbed. Its parent says which attack and when it is over;
 * it ends with its parent, whatever happens.
 */

export type Order =
  | { prepare: { name: Attack['name']; ground: Ground; form: 'short' | 'long'; pid: number } }
  | { go: true }
  | { enough: true }

export type Report = { prepared: true } | { placed: true } | { outcome: Outcome } | { error: string }

const tell = (report: Report): void => void process.send?.(report)

let attacked: number | undefined
let go = (): void => {}
let enough = (): void => {}

process.on('message', (order: Order) => {
  if ('go' in order) go()
  else if ('enough' in order) enough()
  else
    attackOnce(order.prepare).catch((error: unknown) => {
      tell({ error: error instanceof Error ? error.message : String(error) })
    })
})
process.on('disconnect', () => {
  // Our parent is gone, and what it started may be too busy to hear of it.
  if (attacked !== undefined) kill(attacked)
  process.exit(0)
})
// Ctrl-C reaches every process of a terminal; this one is ended by its parent.
process.on('SIGINT', () => {})

async function attackOnce({ name, ground, form, pid }: Extract<Order, { prepare: unknown }>['prepare']): Promise<void> {
  const attack = attackNamed(name)
  attacked = pid
  const told = new Promise<void>((resolve) => {
    go = resolve
  })
  const over = new Promise<void>((resolve) => {
    enough = resolve
  })
  const { toolkit, release } = createToolkit({ attack, ground, form }, { placed: () => tell({ placed: true }), over })
  try {
    await attack.setup?.(toolkit)
    tell({ prepared: true })
    await told
    await Promise.race([attack.run(toolkit), over])
  } finally {
    await release()
  }
  tell({ outcome: await release() })
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
