import { allowlistMax } from './limits.ts'

/** The form of a token: a fixed prefix, then hexadecimal digits. Spec, Authentication 2; Decisions, Tokens. */
export const tokenPrefix = 'plumb_live_'
export const tokenDigits = 72

/**
 * Returns an entry of an allowlist in its one accepted spelling: a dotted quad, alone or with /0 to /32 and no bit set
 * beyond the mask. Returns undefined for octal and short forms. Decisions, Tokens.
 */
export function readAllowlistEntry(text: string): string | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text)
  if (!match) return undefined
  const parts = match.slice(1).filter((part) => part !== undefined)
  if (parts.some((part) => part.length > 1 && part.startsWith('0'))) return undefined
  const quads = parts.slice(0, 4).map(Number)
  const bits = parts[4] === undefined ? 32 : Number(parts[4])
  if (quads.some((quad) => quad > 255) || bits > 32) return undefined
  const address = quads.reduce((sum, quad) => sum * 256 + quad, 0)
  return address % 2 ** (32 - bits) === 0 ? `${quads.join('.')}/${bits}` : undefined
}

/** Returns a sentence about the first problem of an allowlist, or undefined if it has none. */
export function allowlistProblem(entries: readonly string[]): string | undefined {
  if (entries.length > allowlistMax) return `must have at most ${allowlistMax} entries`
  const wrong = entries.find((entry) => readAllowlistEntry(entry) === undefined)
  if (wrong === undefined) return undefined
  return `has ${JSON.stringify(wrong)}, which is no IPv4 address like 203.0.113.7 and no range like 203.0.113.0/24 (no bit may be set beyond the mask)`
}

/** Returns whether an allowlist allows an address that a former one did not. An empty list allows every address. */
export function allowsMore(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false
  return after.length === 0 || after.some((entry) => !before.some((range) => isWithin(entry, range)))
}

/** Returns whether an entry lies in a range; both in their one spelling with a mask. */
function isWithin(entry: string, range: string): boolean {
  const [inner, outer] = [readRange(entry), readRange(range)]
  const size = 2 ** (32 - outer.bits)
  return inner.bits >= outer.bits && Math.floor(inner.address / size) * size === outer.address
}

function readRange(entry: string): { address: number; bits: number } {
  const [quads = '', bits] = entry.split('/')
  return { address: quads.split('.').reduce((sum, quad) => sum * 256 + Number(quad), 0), bits: Number(bits) }
}
