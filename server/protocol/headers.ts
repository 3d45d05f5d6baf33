import { readTags, type Tags } from '#derive/expected-version.ts'
import { givenTwice } from '#derive/refusals.ts'
import { type DoubtCode, doubtCodes } from '#registry/field-codes.ts'
import { idempotencyKeyLengthMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'

export type Headers = ReturnType<typeof readHeaders>

/**
 * Returns the headers that have an effect on a call, except the token. They are read from the raw list: Node keeps the
 * first of some names and joins the others, so a repeated header would not be found. They are checked once the caller is
 * known. Decisions, Errors.
 */
export function readHeaders(rawHeaders: readonly string[], isWrite: boolean) {
  const all = collectHeaders(rawHeaders)
  return {
    contentType: findHeader(all, 'content-type'),
    contentEncoding: findHeader(all, 'content-encoding'),
    idempotencyKey: isWrite ? readKey(all.get('idempotency-key')) : undefined,
    dryRun: isWrite ? readDryRunHeader(all.get('x-dry-run')) : undefined,
    ifMatch: readCondition(all, 'if-match', isWrite),
    ifNoneMatch: readCondition(all, 'if-none-match', isWrite),
    /** The hash of a preview. */
    ifPlan: isWrite ? readPlanHash(findHeader(all, 'if-plan')) : undefined,
    /** Whether `Prefer` requests the written record. */
    prefersRecord: prefersRepresentation(all.get('prefer') ?? []),
  }
}

/** Returns the one header that is read before the caller is known. Throws if it is given twice. */
export function readAuthorization(rawHeaders: readonly string[]): string | undefined {
  const values = authorizationsIn(rawHeaders)
  if (values.length > 1) throw givenTwice('authorization', values.length)
  return values[0]
}

export const authorizationsIn = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && isAuthorization(rawHeaders[index - 1] as string))

const isAuthorization = (name: string): boolean =>
  name.length === 13 && (name === 'Authorization' || name.toLowerCase() === 'authorization')

type CollectedHeaders = ReadonlyMap<string, string[]>

const meant = new Set([
  ...['content-type', 'content-encoding', 'idempotency-key'],
  ...['x-dry-run', 'x-accept-doubts', 'if-match', 'if-none-match', 'if-plan', 'prefer'],
])

function collectHeaders(rawHeaders: readonly string[]): CollectedHeaders {
  const all = new Map<string, string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (!meant.has(name)) continue
    const values = all.get(name)
    const value = rawHeaders[index + 1] as string
    if (values) values.push(value)
    else all.set(name, [value])
  }
  return all
}

function findHeader(all: CollectedHeaders, name: string): string | undefined {
  const values = all.get(name)
  if (!values) return undefined
  if (values.length > 1) throw givenTwice(name, values.length)
  return values[0]
}

const keyPattern = new RegExp(`^[!-~]{1,${idempotencyKeyLengthMax}}$`)

/** Parses the Idempotency-Key, which is opaque: quotes are part of it. Decisions, Idempotency. */
function readKey(values: string[] | undefined): string | undefined {
  if (!values) return undefined
  const [key] = values
  if (values.length === 1 && keyPattern.test(key as string)) return key
  throw new Refusal('invalid_idempotency_key')
}

function readDryRunHeader(values: string[] | undefined): string | undefined {
  if (values && values.length > 1) {
    throw new Refusal('invalid_dry_run', {
      detail: 'X-Dry-Run is given more than once; send it once. Nothing was done.',
    })
  }
  return values?.[0]
}

/** Parses the hash of a preview. Throws if it was cut or lost its quotes: the write must not ignore it. */
function readPlanHash(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const hash = /^"(sha256-[\w-]{43})"$/.exec(value.trim())?.[1]
  if (hash === undefined) {
    throw new Refusal('invalid_header', {
      detail: 'if-plan must be the hash of a plan in quotes, as in "sha256-…", which is its member hash.',
    })
  }
  return hash
}

/**
 * Returns the doubts that a person accepts, from X-Accept-Doubts. Throws if the header names a code that is none. Only the
 * console reads it.
 */
export function readAcceptedDoubts(rawHeaders: readonly string[]): readonly DoubtCode[] {
  const value = findHeader(collectHeaders(rawHeaders), 'x-accept-doubts') ?? ''
  const codes = value.split(',').map((code) => code.trim())
  const accepted = codes.filter((code) => code !== '')
  const unknown = accepted.find((code) => !(doubtCodes as readonly string[]).includes(code))
  if (unknown === undefined) return accepted as DoubtCode[]
  throw new Refusal('invalid_header', {
    detail: `x-accept-doubts has ${JSON.stringify(unknown)}, which is no doubt; there are ${doubtCodes.join(', ')}.`,
  })
}

/** Parses `Prefer` (RFC 7240): the first of a repeated preference counts, and others than `return` are ignored. */
function prefersRepresentation(values: readonly string[]): boolean {
  const preferences = values.join(',').split(',')
  const [value] = preferences.flatMap((one) => /^\s*return\s*=\s*"?([\w-]+)"?\s*(?:;|$)/i.exec(one)?.[1] ?? [])
  return value === 'representation'
}

/**
 * Parses a condition. A malformed one is ignored for reads and refused for writes, which must not run on a guess.
 * Decisions, Conditional requests.
 */
function readCondition(all: CollectedHeaders, name: string, isWrite: boolean): Tags | undefined {
  const given = all.get(name)
  if (!given) return undefined
  const tags = readTags(given.join(','))
  if (tags === undefined && isWrite) {
    throw new Refusal('invalid_header', {
      detail: `${name} must be * or a list of ETags in quotes, as ETag gave them.`,
    })
  }
  return tags
}
