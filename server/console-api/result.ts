import type { Meta } from '#derive/console/responses.ts'
import { refusals } from '#registry/refusals.ts'
import type { HttpResponse } from '../http/send.ts'
import { jsonType } from '../pipeline/stored-response.ts'
import type { Changes, ConsoleResult, ConsoleRoute } from './operation-request.ts'

/** What makes a browser forget what it keeps of us. What its storage has is how lists look, and stays. */
export const clearsCache = { 'Clear-Site-Data': '"cache"' } as const

/**
 * Returns the headers of an answer of the interface: nothing of it is kept by a cache (ASVS V14.3.2), and what was kept goes
 * where a session is told that it is over.
 */
export const withoutTrace = ({ status, headers }: HttpResponse, hadSession: boolean) => ({
  ...headers,
  'Cache-Control': 'no-store',
  ...(hadSession && status === refusals.unauthorized.status ? clearsCache : {}),
})

/** What an operation came to, in the envelopes of /v1. */
export function replyTo(
  { success }: Pick<ConsoleRoute, 'success'>,
  { data, meta, ...changes }: { data: unknown; meta?: Meta } & Changes,
): ConsoleResult {
  if (success === 204) return { status: success, headers: {}, body: '', ...changes }
  return {
    status: success ?? 200,
    headers: { 'Content-Type': jsonType },
    body: JSON.stringify({ data, meta }),
    ...changes,
  }
}

/** A whole list, which nobody pages through. */
export const createWholeList = <Row>(data: Row[]): { data: Row[]; meta: Meta } => ({
  data,
  meta: { total: data.length, limit: data.length, offset: 0 },
})
