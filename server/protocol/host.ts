import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** Returns the host that a request is for: that of an absolute target, else its Host header (RFC 9112 3.2.2). */
export const authorityOf = ({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string =>
  /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? ''

/** Whether a text is a name or an address, with a port or none. A comma is refused: it is two hosts that a proxy joined. */
export function isHost(text: string): boolean {
  const [, name, address, port = ''] = form.exec(text) ?? []
  return (name !== undefined || isIPv6(address ?? '')) && Number(port) <= portMax
}

const form = /^(?:([\w.-]{1,255})|\[([\da-f:.]{2,45})\])(?::(\d{0,5}))?$/i
const portMax = 65_535
