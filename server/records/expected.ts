import { Refusal } from '#registry/refusals.ts'

/** What a caller expects of the version of a record (RFC 9110 13.1); undefined is nothing. */
export type ExpectedVersion =
  | {
      /** There is a record. */
      present?: true
      /** One of these. */
      versions?: readonly number[]
      /** Some tags of the caller were weak, and named no version. */
      weakened?: boolean
      /** None of these; `any` is none at all. */
      unwanted?: 'any' | readonly number[]
    }
  | undefined

/** Refuses a record whose version the caller did not expect. Decisions, Conditional requests. */
export function expectVersion(version: number, expected: ExpectedVersion): void {
  if (expected === undefined) return
  const { versions, weakened = false, unwanted } = expected
  if (versions && !versions.includes(version)) throw notExpected(weakened)
  if (unwanted === 'any' || unwanted?.includes(version))
    throw new Refusal('precondition_failed', { detail: unwantedNow })
}

export const notExpected = (weakened: boolean): Refusal =>
  new Refusal('precondition_failed', weakened ? { detail: weakTag } : {})

const weakTag =
  'If-Match has a weak ETag, W/"…", which never matches (RFC 9110 13.1.1); something on the way may have weakened it. Send the ETag as the service gave it, without W/.'

const unwantedNow =
  'If-None-Match names the record as it is, so nothing was done. Leave the header out, or name versions that must not be met; If-Match names the one that is expected.'
