import { pipeline, type Readable } from 'node:stream'
import { type Accepts, codingFor, compressing, inCoding } from '../http/codings.ts'
import type { ConsoleReply, ConsoleRoute } from './asked.ts'

/** An answer in the coding that the browser likes best, an export while it is written. Decisions, HTTP. */
export async function coded(
  { showsSecret, method }: Pick<ConsoleRoute, 'showsSecret' | 'method'>,
  { body, session, ...reply }: ConsoleReply,
  accepts: Accepts,
): Promise<ConsoleReply> {
  const own = session === undefined ? {} : { session }
  if (showsSecret) return { ...reply, ...own, body }
  if (typeof body === 'string')
    return { ...(await inCoding({ ...reply, body }, () => accepts, method === 'GET')), ...own }
  const coding = Buffer.isBuffer(body) ? undefined : codingFor(accepts)
  if (coding === undefined) return { ...reply, ...own, body }
  const headers = { ...reply.headers, Vary: 'Accept-Encoding', 'Content-Encoding': coding }
  return { ...reply, ...own, headers, body: pipeline(body as Readable, compressing(coding), () => undefined) }
}
