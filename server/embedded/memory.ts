import { totalmem } from 'node:os'

/** Bytes that this machine has, or that its container may use where that is less. */
export function memoryHere(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(totalmem(), allowed) : totalmem()
}
