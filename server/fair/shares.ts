import type { Key } from './turns.ts'

/** The claim in a token or a session. `random` are 48 of its secret bits; they give no access. */
export type Claim = { companyId: number; random: number; channel: 'api' | 'console' }

export type Share = {
  key: Key
  /** The key of turns within the share: the peer of a known company, or the company that a peer claims. */
  within: Key
  /** Reports whether the lookup has confirmed the claim. */
  report(isLive: boolean): void
}

/** Returns a share that depends on no lookup. */
export const fixedShare = (key: Key): Share => ({ key, within: '', report: () => undefined })

/** Entries per generation. The least recently used entries are dropped beyond it. */
const knownMax = 20_000

export type Shares = ReturnType<typeof createShares>

/**
 * Chooses the share of a request before its caller is authenticated. A claim names a company and proves nothing, so it
 * gets the company's share only if the same text was valid here before. Otherwise it gets its peer's share, so forged
 * texts cost their sender. The choice affects turns and never rights: every request is looked up.
 */
export function createShares(generationMax: number = knownMax) {
  /** Confirmed claims: the bits of a company's one token, and the companies of sessions by their bits. */
  let young = new Map<number, number>()
  let old = new Map<number, number>()

  const remember = (claim: Claim): void => {
    if (young.size >= generationMax) [old, young] = [young, new Map()]
    young.set(keyOf(claim), proofOf(claim))
  }
  const isKnown = (claim: Claim): boolean => {
    const [key, value] = [keyOf(claim), proofOf(claim)]
    if (young.get(key) === value) return true
    if (old.get(key) !== value) return false
    remember(claim)
    return true
  }

  return {
    of(claim: Claim | undefined, peer: string | undefined): Share {
      const network = networkOf(peer)
      if (!claim) return fixedShare(network)
      const { companyId, channel } = claim
      if (!isKnown(claim))
        return { key: network, within: companyId, report: (isLive) => (isLive ? remember(claim) : undefined) }
      // Integrations and people of a company take nothing from each other.
      return {
        key: channel === 'api' ? companyId : -companyId,
        within: network,
        report(isLive) {
          if (!isLive) for (const generation of [young, old]) generation.delete(keyOf(claim))
        },
      }
    },
  }
}

// Keys of sessions are negative, keys of companies positive.
const keyOf = ({ channel, companyId, random }: Claim): number => (channel === 'api' ? companyId : -random)
const proofOf = ({ channel, companyId, random }: Claim): number => (channel === 'api' ? random : companyId)

/** Returns the key of a peer: an IPv4 address, or the first half of an IPv6 address, which belongs to one caller. */
export function networkOf(peer: string | undefined): string {
  if (peer === undefined || !peer.includes(':')) return peer ?? ''
  if (peer.startsWith('::ffff:') && peer.includes('.')) return peer.slice('::ffff:'.length)
  const [head = '', tail] = peer.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':').length : 0
  const zeros = tail === undefined ? 0 : 8 - groups.length - after
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...(tail ? tail.split(':') : [])]
  return `${all.slice(0, 4).join(':')}::`
}
