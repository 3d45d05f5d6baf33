/** The settings that decide who can reach the service. */
type Exposure = { host: string; publicUrl: string | null }

/** Returns whether a host is this machine. */
export const isLocal = (host: string): boolean =>
  /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?|localhost)$/i.test(host) || host.toLowerCase().endsWith('.localhost')

/** Returns whether PUBLIC_URL is on this machine. True if it is not set: callers then use the address of HOST. */
export const isHere = (publicUrl: string | null): boolean => publicUrl === null || isLocal(new URL(publicUrl).hostname)

/** Returns whether other machines can reach the service, by its port or through a proxy. */
export const isReachable = ({ host, publicUrl }: Exposure): boolean => !isLocal(host) || !isHere(publicUrl)

/** Returns whether traffic is unencrypted on a network: other machines reach the service, and PUBLIC_URL has no TLS. */
export const isPlain = (config: Exposure): boolean => isReachable(config) && !config.publicUrl?.startsWith('https:')

export const plainSentence =
  'Others can reach this address, and what they send crosses the network unencrypted: put something that speaks TLS in front of it and set PUBLIC_URL to its https address, or set HOST to 127.0.0.1.'
