/** Who can reach the service, as far as the settings tell. */
type Exposure = { host: string; publicUrl: string | null }

/** Whether a host is this machine itself. */
export const isLocal = (host: string): boolean =>
  /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?|localhost)$/i.test(host) || host.toLowerCase().endsWith('.localhost')

/** Whether an address is one of this machine; none given is whatever a caller used. */
export const isHere = (publicUrl: string | null): boolean => publicUrl === null || isLocal(new URL(publicUrl).hostname)

/** Whether others than this machine's own programs reach the service: by its port, or by something in front of it. */
export const isReachable = ({ host, publicUrl }: Exposure): boolean => !isLocal(host) || !isHere(publicUrl)

/** Whether what is sent crosses a network as it is: others reach the service, and nothing is known to speak TLS for it. */
export const isPlain = (config: Exposure): boolean => isReachable(config) && !config.publicUrl?.startsWith('https:')

export const plainSentence =
  'Others can reach this address, and what they send crosses the network unencrypted: put something that speaks TLS in front of it and set PUBLIC_URL to its https address, or set HOST to 127.0.0.1.'
