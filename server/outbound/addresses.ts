import ipaddr from 'ipaddr.js'

/**
 * Returns why nothing may be sent to an address, or undefined if it is public or in `named`, the operator's networks.
 * Otherwise a caller could make this service send requests to machines inside its network.
 */
export function whyNotTo(address: string, named: readonly string[]): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is no address`
  const parsed = ipaddr.process(address)
  if (isNamed(parsed, named)) return undefined
  const range = rangeOf(parsed)
  return range === 'unicast' ? undefined : `${address} is ${kinds[range] ?? 'reserved'}`
}

/** Returns whether an address belongs to a network that the operator named. */
export const isNamedNetwork = (address: string, named: readonly string[]): boolean =>
  ipaddr.isValid(address) && isNamed(ipaddr.process(address), named)

/** Phrases for the ranges of ipaddr.js. All other ranges are called reserved. */
const kinds: { readonly [range: string]: string } = {
  private: 'of a private network',
  uniqueLocal: 'of a private network',
  carrierGradeNat: 'of a private network',
  loopback: 'of this machine',
  unspecified: 'of this machine',
  linkLocal: 'link-local',
  multicast: 'of a group',
  broadcast: 'of a group',
  metadata: 'of the platform that this machine runs on',
}

type Address = ReturnType<typeof ipaddr.process>

/** Addresses in the public range that belong to a cloud platform: Azure answers its machines there. */
const platforms = ['168.63.129.16']

/** The public range of IPv6. All other addresses embed another address, or are not in use. */
const publicSix = ipaddr.parseCIDR('2000::/3')

function rangeOf(address: Address): string {
  if (platforms.includes(address.toString())) return 'metadata'
  const range = address.range()
  return address.kind() === 'ipv6' && range === 'unicast' && !address.match(publicSix) ? 'reserved' : range
}

const isNamed = (address: Address, named: readonly string[]): boolean =>
  named.some((network) => {
    const [base, bits] = networkOf(network)
    return base.kind() === address.kind() && address.match(base, bits)
  })

/** Parses a network. A single address is a network of one. */
function networkOf(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
