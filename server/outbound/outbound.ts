import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { inTime, type Time, waitWithin } from '../wait/wait.ts'
import { isNamedNetwork, whyNotTo } from './addresses.ts'
import {
  type CheckedAddress,
  createSender,
  type Message,
  NotSentError,
  type ReceiverResponse,
  type Sender,
} from './sender.ts'

export type Outbound = ReturnType<typeof openOutbound>
export type Destination = ReturnType<typeof openDestination>

type OutboundSettings = {
  networks: readonly string[]
  /** Milliseconds from the first look-up to the last byte of an answer. */
  timeout: number
  /** Returns the addresses of a name. */
  resolve?(name: string): Promise<string[]>
}

const urlLengthMax = 2000

/**
 * Opens the only way to send requests to other services. It sends to public addresses by https alone, and connects to
 * the address that it has checked. The networks that the operator names may be private, and be reached by http.
 */
export function openOutbound({ networks, timeout, resolve = resolveByDns }: OutboundSettings) {
  const lookUp = async (text: string): Promise<CheckedAddress> => {
    const url = readUrl(text)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) ? [host] : await resolve(host)
    if (addresses.length === 0) throw notPublic(`no address is known for ${host}`)
    for (const address of addresses) {
      const why = whyNotTo(address, networks)
      // A literal address is in the caller's own URL, so naming it discloses nothing.
      if (why !== undefined)
        throw isIP(host) ? new NotSentError('address', why) : notPublic(`${host} leads to ${address}, and ${why}`)
    }
    if (url.protocol === 'http:' && !addresses.every((address) => isNamedNetwork(address, networks)))
      throw new NotSentError('address', 'it begins with http:, and what is sent would cross networks unencrypted')
    return { url, addresses }
  }
  return {
    /** Checks an address before it is stored. Throws `NotSentError` if nothing would be sent to it. */
    check: async (text: string): Promise<void> => {
      const { url, addresses } = await inItsTime(timeout, undefined, (time) => waitWithin(time, lookUp(text)))
      if (!mayHavePort(url) && !addresses.every((address) => isNamedNetwork(address, networks)))
        throw new NotSentError('address', `its port must be 443, or one from ${freePortLeast} up that browsers send to`)
    },
    /** Returns a destination. Its name is resolved once, with the first message. */
    to: (text: string) => openDestination(() => lookUp(text), timeout),
  }
}

/** Returns an error with the same message for every name, so that a caller cannot explore an inner network. */
const notPublic = (particulars: string, cause?: unknown): NotSentError =>
  new NotSentError('address', 'nothing is sent to this address: its name must lead to public addresses alone', {
    particulars,
    cause,
  })

const freePortLeast = 1024
/** Ports of other protocols from `freePortLeast` up, which browsers refuse: the "bad ports" of the Fetch standard. */
const foreignPorts = [
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]

/** Returns whether a port is allowed. A service of another protocol could read a request as its own commands. */
function mayHavePort({ port }: URL): boolean {
  const number = Number(port)
  return port === '' || number === 443 || (number >= freePortLeast && !foreignPorts.includes(number))
}

function openDestination(lookUp: () => Promise<CheckedAddress>, timeout: number) {
  let sender: Sender | undefined
  return {
    /** Sends a message. Throws `NotSentError` if no answer came. */
    post: (message: Message): Promise<ReceiverResponse> =>
      inItsTime(timeout, message.signal, async (time) => {
        sender ??= createSender(await waitWithin(time, lookUp()))
        return sender.post(message, time)
      }),
    /** Closes its connections. */
    close: (): void => sender?.close(),
  }
}

/** Parses an address. Refuses a user name or password in it, because lists and logs would show them. */
function readUrl(text: string): URL {
  if (text.length > urlLengthMax) throw new NotSentError('address', `it is longer than ${urlLengthMax} characters`)
  const url = URL.parse(text)
  if (!url) throw new NotSentError('address', 'it is no address like https://erp.example.com/hooks')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new NotSentError('address', 'it must begin with https:')
  if (url.username !== '' || url.password !== '') throw new NotSentError('address', 'it has a name or a password in it')
  return url
}

/** Runs work in its time. Throws `NotSentError` if that is over, or if the signal of the caller aborts. */
const inItsTime = <T>(timeout: number, given: AbortSignal | undefined, work: (time: Time) => Promise<T>): Promise<T> =>
  inTime(
    { ms: timeout, of: 'an answer' },
    (time) =>
      work(time).catch((error: unknown) => {
        if (!time.aborted) throw error
        throw new NotSentError('timeout', `no answer came within ${timeout / 1000} seconds`, { cause: error })
      }),
    given,
  )

/**
 * Resolves a name by DNS, and not by the system's look-up. That one blocks a thread of Node's pool, which also hashes
 * passwords, so a slow name server would delay sign-ins.
 */
export async function resolveByDns(name: string, signal?: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  signal?.addEventListener('abort', () => resolver.cancel())
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0) {
    const [{ reason } = { reason: undefined }] = answers.filter((answer) => answer.status === 'rejected')
    throw notPublic(`no address is known for ${name}`, reason)
  }
  return addresses
}
