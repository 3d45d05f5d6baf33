import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { eachWithin, type Time, waitFor } from '../wait/wait.ts'

export type Sender = ReturnType<typeof createSender>

/** A URL with the checked addresses of its host. */
export type CheckedAddress = { url: URL; addresses: readonly string[] }

export type Message = { headers: { readonly [name: string]: string }; body: string; signal?: AbortSignal }

export type ReceiverResponse = Awaited<ReturnType<typeof read>>

/** The reason for which no answer came. */
export type Failure = 'address' | 'connection' | 'certificate' | 'timeout' | 'answer'

/**
 * Thrown when nothing was sent or no answer came. `message` is for the caller, and discloses nothing of the service's
 * network. `particulars` are for the operator alone.
 */
export class NotSentError extends Error {
  failure: Failure
  particulars: string | undefined
  constructor(
    failure: Failure,
    message: string,
    { particulars, cause }: { particulars?: string; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'NotSent'
    this.failure = failure
    this.particulars = particulars
  }
}

/** Most bytes that are read of an answer's body. */
const bodyBytesMax = 64 * 1024
const headerBytesMax = 16 * 1024
/** Milliseconds until the next of several addresses is tried. */
const addressTimeout = 2500
/** Most answers of the kind 1xx before the answer itself. */
const interimMax = 16
const protocolChanged = 101

/** Creates a client that connects to checked addresses alone. */
export function createSender({ url, addresses }: CheckedAddress) {
  const isPlain = url.protocol === 'http:'
  const kept = { keepAlive: true, autoSelectFamilyAttemptTimeout: addressTimeout }
  const agent = isPlain ? new PlainAgent(kept) : new Agent(kept)

  const send = ({ headers, body }: Message, signal: AbortSignal): ClientRequest => {
    const bytes = Buffer.from(body)
    return (isPlain ? plainRequest : request)(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': bytes.length },
      agent,
      lookup: createLookup(addresses),
      maxHeaderSize: headerBytesMax,
      signal,
    }).end(bytes)
  }

  return {
    async post(message: Message, time: Time): Promise<ReceiverResponse> {
      for (;;) {
        const sending = send(message, time)
        try {
          // An error after the status only cuts the body.
          return await read(await answerTo(sending, time), time)
        } catch (error) {
          // Each retry discards one stale connection. The loop ends because a new connection is never stale.
          if (!isStale(error as NodeJS.ErrnoException, sending.reusedSocket)) throw notSent(error as Error)
        } finally {
          // A receiver may answer without reading the message.
          if (!sending.writableFinished) sending.destroy()
        }
      }
    },
    close: (): void => agent.destroy(),
  }
}

/** Returns a look-up that resolves every name to the checked addresses. */
const createLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_name, { all }, answer) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = known
    if (all) answer(null, known)
    else answer(null, first?.address ?? '', first?.family)
  }

/** Waits for the head of an answer. Each event after which Node emits no other ends the wait. */
const answerTo = (sending: ClientRequest, time: Time): Promise<IncomingMessage> =>
  waitFor(time, (resolve, reject) => {
    let interim = 0
    sending
      .on('response', resolve)
      // Without this listener Node closes the connection after such an answer, and emits "close" alone.
      .on('upgrade', (response, socket) => {
        socket.destroy()
        resolve(response)
      })
      .on('information', () => {
        if (++interim > interimMax) sending.destroy(new Error(`more than ${interimMax} interim answers came`))
      })
      .on('error', reject)
      .on('close', () => reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })))
  })

/** Reads an answer. The body is cut at `bodyBytesMax`, or if the rest does not come in time. */
async function read(response: IncomingMessage, time: Time) {
  const chunks: Buffer[] = []
  let bytes = 0
  /** True if the body was longer, or broke off. */
  let isCut = false
  try {
    // What follows a change of the protocol is no body.
    for await (const chunk of response.statusCode === protocolChanged ? [] : eachWithin<Buffer>(time, response)) {
      chunks.push(chunk)
      bytes += chunk.length
      isCut = bytes > bodyBytesMax
      if (isCut) break
    }
  } catch {
    isCut = true
  }
  /** The part of the body that was read. */
  const body = Buffer.concat(chunks).subarray(0, bodyBytesMax).toString('utf8')
  return { status: response.statusCode as number, headers: headersOf(response), body, isCut }
}

const headersOf = ({ headers }: IncomingMessage): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

/** Returns whether the other side has closed an idle connection before it was used again. */
const isStale = ({ code }: NodeJS.ErrnoException, wasUsedBefore: boolean): boolean =>
  wasUsedBefore && (code === 'ECONNRESET' || code === 'EPIPE')

function notSent(error: NodeJS.ErrnoException): NotSentError {
  const code = error.code ?? ''
  const more = { particulars: error.message, cause: error }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return new NotSentError('certificate', 'its certificate is not trusted, or is for another name', more)
  if (code.startsWith('HPE_')) return new NotSentError('answer', 'what came back is no answer of HTTP', more)
  return new NotSentError('connection', sentences[code] ?? 'no connection was made', more)
}

const sentences: { readonly [code: string]: string } = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ETIMEDOUT: 'no connection was made in time',
}
