import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { Refusal } from '#registry/refusals.ts'

/** Returns the host that a request is for: that of an absolute target, else its Host header (RFC 9112 3.2.2). */
export const authorityOf = ({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string =>
  /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? ''

/** Returns whether a text is one name or address, with or without port. A comma means: a proxy joined two. */
export function isHost(text: string): boolean {
  const [, name, address, port = ''] = form.exec(text) ?? []
  return (name !== undefined || isIPv6(address ?? '')) && Number(port) <= portMax
}

const form = /^(?:([\w.-]{1,255})|\[([\da-f:.]{2,45})\])(?::(\d{0,5}))?$/i
const portMax = 65_535

/** Returns the refusal of a request that violates HTTP, before its path is read, as Node gives it with no body. */
export function protocolRefusal(request: IncomingMessage): Refusal | undefined {
  const { httpVersion, httpVersionMinor, rawHeaders } = request
  const hosts = count(rawHeaders, 'host')
  // RFC 9112 3.2; HTTP/1.0 has no Host.
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) {
    const detail = hosts === 0 ? 'Host is missing; HTTP/1.1 needs it.' : `Host is given ${hosts} times; send it once.`
    return invalidHeader(detail)
  }
  const host = authorityOf(request)
  if (host !== '' && !isHost(host)) return invalidHeader('Host must be a name or an address, with a port or without.')
  if (!versions.includes(httpVersion)) return invalidHeader(`HTTP/${httpVersion} is not spoken here; use HTTP/1.1.`)
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked'))
    return invalidHeader('Transfer-Encoding must be chunked alone, which HTTP/1.0 does not have.')
  // RFC 9110 10.1.1; HTTP/1.0 has no Expect.
  if (httpVersionMinor === 0 || count(rawHeaders, 'expect') === 0) return undefined
  return asksToContinue.test(request.headers.expect ?? '') ? undefined : new Refusal('expectation_failed')
}

/** Returns the refusal of a request that a proxy may read otherwise. Nothing more of its connection is read. */
const invalidHeader = (detail: string): Refusal =>
  new Refusal('invalid_header', { detail, headers: { Connection: 'close' } })

const versions = ['1.0', '1.1']

/** Node's own test for requests that it answers with 100. */
const asksToContinue = /(?:^|\W)100-continue(?:$|\W)/i

function count(rawHeaders: readonly string[], name: string): number {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string
    if (given.length === name.length && given.toLowerCase() === name) times++
  }
  return times
}
