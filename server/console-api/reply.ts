import type { Meta } from '#derive/console/answers.ts'
import { jsonType } from '../pipeline/answer.ts'
import type { Changes, ConsoleReply, ConsoleRoute } from './asked.ts'

/** What an operation came to, in the envelopes of /v1. Nothing of it is kept by a cache. */
export function replyTo(
  { success }: Pick<ConsoleRoute, 'success'>,
  { data, meta, ...changes }: { data: unknown; meta?: Meta } & Changes,
): ConsoleReply {
  const headers = { 'Cache-Control': 'no-store' }
  if (success === 204) return { status: success, headers, body: '', ...changes }
  return {
    status: success ?? 200,
    headers: { 'Content-Type': jsonType, ...headers },
    body: JSON.stringify({ data, meta }),
    ...changes,
  }
}

/** A whole list, which nobody pages through. */
export const whole = <Row>(data: Row[]): { data: Row[]; meta: Meta } => ({
  data,
  meta: { total: data.length, limit: data.length, offset: 0 },
})
