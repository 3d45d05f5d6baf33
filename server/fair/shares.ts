import type { Key } from './turns.ts'

/**
 * Whose share a request takes, before it is known who sends it. What it shows names a company and proves nothing, so
 * it takes the company's share only where the same text has turned out to be true here before; else its peer's, which
 * anybody's forged texts are charged to. A hint about turns and never about rights: every request is looked up.
 */
export type Shares = {
  of(claim: Claim | undefined, peer: string | undefined): Share
}

/** What a token or a session says of itself. `random` are 48 of the bits that nobody can guess; they open nothing. */
export type Claim = { companyId: number; random: number; channel: 'api' | 'console' }

export type Share = {
  key: Key
  /** Takes turns within the key: the peer of a company that is known, the company that a peer claims. */
  within: Key
  /** Told when the look-up has shown what the claim is worth. */
  report(isLive: boolean): void
}

/** A share that is nobody's who has to be looked up. */
export const fixedShare = (key: Key): Share => ({ key, within: '', report: () => undefined })

/** Of each of two generations; beyond them the ones that were not used for longest are strangers again. */
const knownMax = 20_000

export function makeShares(generationMax: number = knownMax): Shares {
  /** The claims that were true: the bits of a company's one token, and the companies of sessions by their bits. */
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
    of(claim, peer) {
      const network = networkOf(peer)
      if (!claim) return fixedShare(network)
      const { companyId, channel } = claim
      if (!isKnown(claim))
        return { key: network, within: companyId, report: (isLive) => (isLive ? remember(claim) : undefined) }
      // Its integrations and its people take nothing from each other.
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

// Sessions are told from companies by their sign.
const keyOf = ({ channel, companyId, random }: Claim): number => (channel === 'api' ? companyId : -random)
const proofOf = ({ channel, companyId, random }: Claim): number => (channel === 'api' ? random : companyId)

/** A peer as one who shares: an IPv4 address, or the first half of an IPv6 address, all of which is one caller's. */
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
