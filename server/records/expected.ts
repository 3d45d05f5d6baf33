import type { ExpectedVersion } from '#derive/expected-version.ts'
import { Refusal } from '#registry/refusals.ts'
import type { PrefetchedRow } from './look-up.ts'

/** Throws if the caller does not expect the version. Decisions, Conditional requests. */
export function expectVersion(version: number, expected: ExpectedVersion): void {
  if (expected === undefined) return
  const { versions, weakened = false, unwanted } = expected
  if (versions && !versions.includes(version)) throw notExpected(weakened)
  if (unwanted === 'any' || unwanted?.includes(version))
    throw new Refusal('precondition_failed', { detail: unwantedNow })
}

/** Returns the live record that was prefetched. Throws if there is none or its version is not the one expected. */
export function requireHeldRecord(
  prefetched: PrefetchedRow,
  expected: ExpectedVersion,
): { version: number; json: string } {
  if (!prefetched) throw new Refusal('not_found')
  const { version, json } = prefetched as { version: number; json: string }
  expectVersion(version, expected)
  return { version, json }
}

export const notExpected = (weakened: boolean): Refusal =>
  new Refusal('precondition_failed', weakened ? { detail: weakTag } : {})

const weakTag =
  'If-Match has a weak ETag, W/"…", which never matches (RFC 9110 13.1.1); something on the way may have weakened it. Send the ETag as the service gave it, without W/.'

const unwantedNow =
  'If-None-Match names the record as it is, so nothing was done. Leave the header out, or name versions that must not be met; If-Match names the one that is expected.'
