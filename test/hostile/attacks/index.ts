import type { Attack } from '../attack.ts'
import { bodies } from './bodies.ts'
import { crowds } from './crowds.ts'
import { documents } from './documents.ts'
import { parsing } from './parsing.ts'
import { slow } from './slow.ts'
import { unread } from './unread.ts'

/** By what a connection holds: answers that nobody reads, bodies that nobody ends. */
export const byConnections: readonly Attack[] = [...unread, ...bodies, ...slow]

/** By what a request costs, and by how many there are. */
export const byRequests: readonly Attack[] = [...parsing, ...documents, ...crowds]

/** Every attack there is. */
export const attacks: readonly Attack[] = [...byConnections, ...byRequests]

export function attackNamed(name: string): Attack {
  const attack = attacks.find((one) => one.name === name)
  if (!attack) throw new Error(`There is no attack ${name}.`)
  return attack
}
