import type { Problem } from '#registry/definition.ts'

/** One call to the service's door for this interface. Whatever is refused is thrown as a `Refused`. */
export async function ask<Data>(method: string, path: string, sent: Sent = {}): Promise<Answer<Data>> {
  const response = await fetch(`/console${path}`, {
    method,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(sent.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(sent.etag ? { 'If-Match': sent.etag } : {}),
    },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    ...(sent.signal ? { signal: sent.signal } : {}),
  }).catch((error: unknown) => {
    if (sent.signal?.aborted) throw error
    throw new Refused(0, { code: 'unreachable', detail: '' })
  })
  const text = await response.text()
  const body = parsed(text)
  if (!response.ok) throw new Refused(response.status, body as Partial<RefusedBody>)
  return { ...(body as { data: Data }), etag: response.headers.get('ETag') }
}

export type Sent = { body?: unknown; etag?: string | null; signal?: AbortSignal }
type Meta = { total: number; limit: number; offset: number }
export type Answer<Data> = { data: Data; meta?: Meta; etag: string | null }

/** What stops a deletion, goes with it or stays. */
export type Involved = { records: string; count: number; ids: number[]; effect?: string }

export type RefusedBody = {
  code: string
  detail: string
  title?: string
  errors?: Problem[]
  blocked_by?: Involved[]
  request_id?: string
}

/** The service said no. `status` and `body` are also what react-admin looks for. */
export class Refused extends Error {
  readonly status: number
  readonly body: RefusedBody
  constructor(status: number, body: Partial<RefusedBody>) {
    super(body.detail ?? body.title ?? `${status}`)
    this.name = 'Refused'
    this.status = status
    this.body = { ...body, code: body.code ?? 'internal_error', detail: body.detail ?? '' }
  }
}

export const isRefused = (error: unknown, code?: string): error is Refused =>
  error instanceof Refused && (code === undefined || error.body.code === code)

export const isUnauthorized = (error: unknown): error is Refused => isRefused(error, 'unauthorized')

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return {}
  }
}
