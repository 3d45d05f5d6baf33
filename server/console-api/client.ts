import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { RequestOrigin } from '#sql/author.ts'

/** The sender of a request, as far as it is known. */
export type Client = ReturnType<ReturnType<typeof clientReader>>

const deviceLengthMax = 300
const claimLengthMax = 200

const formatHeader = (header: string | string[] | undefined, most: number): string | null =>
  header === undefined
    ? null
    : String(header)
        .replace(/[^\x20-\x7e]/g, '')
        .slice(0, most)

export const requestOriginOf = ({ client, requestId }: { client: Client; requestId: string }): RequestOrigin => ({
  requestId,
  peer: client.peer ?? null,
  forwardedFor: client.claim,
  device: client.device,
})

/**
 * Returns a function that reads the sender of a request. A forwarding header is accepted only from the proxies of
 * TRUSTED_PROXIES. It decides only for whom attempts to sign in are counted, and never changes an allowlist check or a
 * logged peer. Decisions, Console.
 */
export function clientReader(trustedProxies: readonly string[]) {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string): boolean => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return ({ socket, headers }: IncomingMessage) => {
    const peer = socket.remoteAddress
    const proxy = peer && plainAddress(peer)
    return {
      /** The TCP peer; undefined if the socket has none. */
      peer,
      /** The address that a trusted proxy forwarded; null if there is none. */
      forwardedFor: proxy && isTrusted(proxy) ? lastUntrusted(headers['x-forwarded-for'], isTrusted) : null,
      /** The forwarded address that the request itself claims: not verified, printable and cut. */
      claim: formatHeader(headers['x-forwarded-for'], claimLengthMax),
      /** The name that the browser gives for itself. */
      device: formatHeader(headers['user-agent'], deviceLengthMax),
    }
  }
}

/** Returns the address for which attempts are counted. */
export const countedPeer = ({ peer, forwardedFor }: Client): string | undefined => forwardedFor ?? peer

/**
 * Returns the last address that is no trusted proxy: each proxy appends the address that it saw. Anybody may have
 * written the entries before it. A text that is no address ends the search.
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

/** Returns an address without port, zone and brackets; an IPv4 address in IPv6 as IPv4. */
function plainAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = (bare.split('%', 1)[0] as string).replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(address) > 0 ? address : undefined
}
