import { idMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'

/** The id of a record in a path. */

type WithId = { readonly id?: string | undefined }

/** Returns the id of the path. Any text but a positive whole number is an id that no record has. */
export function recordId(params: WithId): number {
  const id = pathId(params)
  if (id === null) throw new Refusal('not_found')
  return id
}

export function pathId({ id }: WithId): number | null {
  const number = /^[1-9]\d{0,15}$/.test(id ?? '') ? Number(id) : 0
  return number >= 1 && number <= idMax ? number : null
}
