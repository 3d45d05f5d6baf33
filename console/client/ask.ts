import {
  type AnswerOf,
  type BodyOf,
  type ConsoleBody,
  type ConsoleOperationName,
  consoleOperations,
  consoleRoot,
  type PathOf,
  type QueryOf,
} from '#derive/console/operations.ts'
import type { Preview, ProblemBody } from '#registry/refusals.ts'

/** Asks for an operation that changes nothing twice. Whatever is refused is thrown as a `Refused`; writes go by `useWrite`. */
export const ask = <Name extends UnkeyedOperation>(
  name: Name,
  ...given: RequestArguments<Name>
): Promise<ConsoleResponse<Name>> => send(consoleOperations[name].method, addressOf(name, ...given), given[0] ?? {})

/** Reads, and what is no write: signing in and out, showing a secret, looking up and trying. */
type UnkeyedOperation =
  | {
      [Name in ConsoleOperationName]: (typeof consoleOperations)[Name]['method'] extends 'GET' ? Name : never
    }[ConsoleOperationName]
  | 'session.begin'
  | 'session.end'
  | 'token.show'
  | 'calls.dry-run'
  | 'records.look-up'
  | 'records.try-import'

/** Writes with a key of somebody's own making: what was done under it is not done again, however long ago that was sent. */
export const askOnce = <Name extends ConsoleOperationName>(
  name: Name,
  key: string,
  ...given: RequestArguments<Name>
): Promise<ConsoleResponse<Name>> =>
  send(consoleOperations[name].method, addressOf(name, ...given), { ...given[0], key })

/** What deleting a record would do. */
export const previewRemoval = (records: string, id: number | string, signal?: AbortSignal) =>
  send<ConsoleResponse<'records.delete'>>(
    'DELETE',
    addressOf('records.delete', { records, id, query: { dry_run: 1 } }),
    {
      signal,
    },
  )

/** What taking back a write would do. */
export const previewUndo = (id: string) =>
  send<ConsoleResponse<'writes.undo'>>('POST', addressOf('writes.undo', { id, query: { dry_run: 1 } }), {})

/** What an operation is asked with: what its path leaves open, its parameters and its body. */
export type RequestArguments<Name extends ConsoleOperationName> =
  object extends ConsoleRequest<Name> ? [given?: ConsoleRequest<Name>] : [given: ConsoleRequest<Name>]

type ConsoleRequest<Name extends ConsoleOperationName> = {
  [parameter in PathOf<Name>]: string | number
} & AskConditions &
  ([QueryOf<Name>] extends [never] ? unknown : { query?: Query<Name> }) &
  (BodyOf<Name> extends undefined ? unknown : { body: BodyOf<Name> })

/** `etag`: only while the record has this tag; `plan`: only where this plan is true still. */
type AskConditions = {
  etag?: string | null
  plan?: Pick<Preview, 'hash'> | undefined
  signal?: AbortSignal | undefined
}

/** Parameters; those that are not set are left out. */
export type Query<Name extends ConsoleOperationName> = { readonly [name in QueryOf<Name>]?: unknown }

/** `writeId` names what was written, `plan` what a dry-run would write. */
export type ConsoleResponse<Name extends ConsoleOperationName> = ConsoleBody<AnswerOf<Name>> & {
  etag: string | null
  writeId: string | null
  plan?: Preview
}

/** Where an operation is asked for, for what is no call: a link, and the key of what was loaded. */
export function addressOf<Name extends ConsoleOperationName>(name: Name, ...[given]: RequestArguments<Name>): string {
  const { query = {}, ...open } = (given ?? {}) as { query?: object; [parameter: string]: unknown }
  const filled = consoleOperations[name].path.replace(/\{(\w{1,40})\}/g, (_, parameter) =>
    encodeURIComponent(String(open[parameter])),
  )
  const path = consoleRoot + filled
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, String(value)])
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

type AskOptions = AskConditions & { body?: unknown; key?: string }

export async function send<Said>(method: string, address: string, given: AskOptions): Promise<Said> {
  const { body, etag, plan, signal, key } = given
  const response = await fetch(address, {
    method,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(etag ? { 'If-Match': etag } : {}),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(plan ? { 'If-Plan': `"${plan.hash}"` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new RefusedError(0, { code: 'unreachable' })
  })
  const said = parseBody(await response.text())
  if (!response.ok) throw new RefusedError(response.status, said as Partial<ProblemBody>)
  const { headers } = response
  return { ...said, etag: headers.get('ETag'), writeId: headers.get('X-Write-Id') } as Said
}

type RefusedBody = Omit<Partial<ProblemBody>, 'code'> & { code: ProblemBody['code'] | 'unreachable'; detail: string }

/** The service said no. `status` and `body` are also what react-admin looks for. */
export class RefusedError extends Error {
  readonly status: number
  readonly body: RefusedBody
  constructor(status: number, body: Partial<RefusedBody>) {
    super(body.detail ?? body.title ?? `${status}`)
    this.name = 'Refused'
    this.status = status
    this.body = { ...body, code: body.code ?? 'internal_error', detail: body.detail ?? '' }
  }
}

export const isRefused = (error: unknown, code?: RefusedBody['code']): error is RefusedError =>
  error instanceof RefusedError && (code === undefined || error.body.code === code)

export const isUnauthorized = (error: unknown): error is RefusedError => isRefused(error, 'unauthorized')

function parseBody(text: string): object {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return {}
  }
}
