import { Refusal } from '#registry/refusals.ts'

/** A refusal as a value, for what is read early and judged in its turn. */
export function orRefusal<T>(reading: () => T): T | Refusal {
  try {
    return reading()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

export function orThrow<T>(value: T | Refusal): T {
  if (value instanceof Refusal) throw value
  return value
}
