import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { RequestOrigin } from '#sql/author.ts'

/** Who is at the other end, as far as it can be known. */
export type Client = {
  /** The TCP peer; undefined where the socket could not say. */
  peer: string | undefined
  /** What a trusted proxy says of who is behind it; null where there is none or it says nothing. */
  forwardedFor: string | null
  /** What the request itself says of that, whoever sent it: a claim, printable and cut. */
  claim: string | null
  /** What the browser says of itself. */
  device: string | null
}

const deviceLengthMax = 300
const claimLengthMax = 200

const formatHeader = (header: string | string[] | undefined, most: number): string | null =>
  header === undefined
    ? null
    : String(header)
        .replace(/[^\x20-\x7e]/g, '')
        .slice(0, most)

/** Where a request came from, for the log. */
export const requestOriginOf = ({ client, requestId }: { client: Client; requestId: string }): RequestOrigin => ({
  requestId,
  peer: client.peer ?? null,
  forwardedFor: client.claim,
  device: client.device,
})

/**
 * Reads who asks. A forwarding header is believed from the proxies of TRUSTED_PROXIES alone, and tells only for whom
 * attempts to sign in are counted: never what an allowlist or a recorded peer says. Decisions, Console.
 */
export function clientReader(trustedProxies: readonly string[]): (request: IncomingMessage) => Client {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string): boolean => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return ({ socket, headers }) => {
    const peer = socket.remoteAddress
    const proxy = peer && plainAddress(peer)
    return {
      peer,
      forwardedFor: proxy && isTrusted(proxy) ? lastUntrusted(headers['x-forwarded-for'], isTrusted) : null,
      claim: formatHeader(headers['x-forwarded-for'], claimLengthMax),
      device: formatHeader(headers['user-agent'], deviceLengthMax),
    }
  }
}

/** Whom attempts are counted for. */
export const countedPeer = ({ peer, forwardedFor }: Client): string | undefined => forwardedFor ?? peer

/**
 * Each proxy adds the address that it saw at the end, so from there on the first that is no proxy of ours is who asked;
 * what stands before it, anybody may have written. Text that is no address ends the search.
 */
function lastUntrusted(header: string | string[] | undefined, isTrusted: (address: string) => boolean): string | null {
  const entries = String(header ?? '').split(',')
  let nearest: string | null = null
  for (const entry of entries.reverse()) {
    const address = plainAddress(entry.trim())
    if (address === undefined) return nearest
    nearest = address
    if (!isTrusted(address)) return nearest
  }
  return nearest
}

/** An address without port, zone and brackets; an IPv4 address in IPv6 as itself. */
function plainAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = (bare.split('%', 1)[0] as string).replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(address) > 0 ? address : undefined
}
