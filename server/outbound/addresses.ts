import ipaddr from 'ipaddr.js'

/**
 * Whether something may be sent to an address: public ones alone, so that nobody makes this service ask a neighbour
 * which answers everybody inside. `named` are the networks that the operator opens all the same.
 */
export function whyNotTo(address: string, named: readonly string[]): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is no address`
  const parsed = ipaddr.process(address)
  if (isNamed(parsed, named)) return undefined
  const range = rangeOf(parsed)
  return range === 'unicast' ? undefined : `${address} is ${kinds[range] ?? 'reserved'}`
}

/** Whether an address belongs to a network that the operator named. */
export const isNamedNetwork = (address: string, named: readonly string[]): boolean =>
  ipaddr.isValid(address) && isNamed(ipaddr.process(address), named)

/** The rest is reserved, whatever for. */
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

/** Public in form, but what answers there is the platform that a machine of Azure runs on. */
const platforms = ['168.63.129.16']

/** What of IPv6 is public; all else carries another address inside, or is not in use. */
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

/** An address stands for itself alone. */
function networkOf(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
