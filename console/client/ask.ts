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
import type { JsonObject } from '#registry/json.ts'
import type { Preview, ProblemBody } from '#registry/refusals.ts'
import type { ForeignText, FromService } from '../texts/foreign.ts'

/** Calls an operation that needs no idempotency key. Throws `RefusedError` if it is refused. Writes use `useWrite`. */
export const ask = <Name extends UnkeyedOperation>(
  name: Name,
  ...given: RequestArguments<Name>
): Promise<ConsoleResponse<Name>> => send(consoleOperations[name].method, addressOf(name, ...given), given[0] ?? {})

/** Reads, and the operations that write no records: sign-in and sign-out, showing a secret, look-ups and trials. */
type UnkeyedOperation =
  | {
      [Name in ConsoleOperationName]: (typeof consoleOperations)[Name]['method'] extends 'GET' ? Name : never
    }[ConsoleOperationName]
  | 'session.begin'
  | 'session.end'
  | 'token.show'
  | 'calls.dry-run'
  | 'records.look-up'

/** Writes under the caller's own idempotency key. A repetition under the same key does nothing, at any later time. */
export const askOnce = <Name extends ConsoleOperationName>(
  name: Name,
  key: string,
  ...given: RequestArguments<Name>
): Promise<ConsoleResponse<Name>> =>
  send(consoleOperations[name].method, addressOf(name, ...given), { ...given[0], key })

export const previewRemoval = (records: string, id: number | string, signal?: AbortSignal) =>
  send<ConsoleResponse<'records.delete'>>(
    'DELETE',
    addressOf('records.delete', { records, id, query: { dry_run: 1 } }),
    {
      signal,
    },
  )

export function previewBatch(records: string, operations: JsonObject[]) {
  const given = { records, query: { dry_run: 1 }, body: { operations } }
  return send<ConsoleResponse<'records.batch'>>('POST', addressOf('records.batch', given), { body: given.body })
}

export const previewUndo = (id: string) =>
  send<ConsoleResponse<'writes.undo'>>('POST', addressOf('writes.undo', { id, query: { dry_run: 1 } }), {})

/** The arguments of an operation: the parameters of its path, its query and its body. */
export type RequestArguments<Name extends ConsoleOperationName> =
  object extends ConsoleRequest<Name> ? [given?: ConsoleRequest<Name>] : [given: ConsoleRequest<Name>]

type ConsoleRequest<Name extends ConsoleOperationName> = {
  [parameter in PathOf<Name>]: string | number
} & AskConditions &
  ([QueryOf<Name>] extends [never] ? unknown : { query?: Query<Name> }) &
  (BodyOf<Name> extends undefined ? unknown : { body: BodyOf<Name> })

/** Conditions of a call: the record still has this `etag`; the effect is still that of this `plan`; `accepts` are doubts. */
type AskConditions = {
  etag?: string | null
  plan?: Pick<Preview, 'hash'> | undefined
  accepts?: readonly string[] | undefined
  signal?: AbortSignal | undefined
}

/** Query parameters. Those that are not set are left out. */
export type Query<Name extends ConsoleOperationName> = { readonly [name in QueryOf<Name>]?: unknown }

/** The answer of an operation. `writeId` is the id of a write, and `plan` the preview of a dry-run. */
export type ConsoleResponse<Name extends ConsoleOperationName> = FromService<ConsoleBody<AnswerOf<Name>>> & {
  etag: string | null
  writeId: string | null
  plan?: Preview
}

/** Returns the address of an operation, for calls, links and the keys of loaded data. */
export function addressOf<Name extends ConsoleOperationName>(name: Name, ...[given]: RequestArguments<Name>): string {
  const { query = {}, ...open } = (given ?? {}) as { query?: object; [parameter: string]: unknown }
  const filled = consoleOperations[name].path.replace(/\{(\w{1,40})\}/g, (_, parameter) =>
    encodeURIComponent(String(open[parameter])),
  )
  return withQuery(consoleRoot + filled, query)
}

/** Returns an address with its query. Values that are not set, or empty, are left out. */
export function withQuery(path: string, query: object): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, String(value)])
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

type AskOptions = AskConditions & { body?: unknown; key?: string }

export async function send<Said>(method: string, address: string, given: AskOptions): Promise<Said> {
  const { body, etag, plan, accepts = [], signal, key } = given
  const response = await fetch(address, {
    method,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': body instanceof Blob ? body.type : 'application/json' }),
      ...(etag ? { 'If-Match': etag } : {}),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(plan ? { 'If-Plan': `"${plan.hash}"` } : {}),
      ...(accepts.length > 0 ? { 'X-Accept-Doubts': accepts.join() } : {}),
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new RefusedError(0, { code: 'unreachable' })
  })
  const said = parseBody(await response.text())
  if (!response.ok) throw new RefusedError(response.status, said as Partial<RefusedBody>)
  const { headers } = response
  return { ...said, etag: headers.get('ETag'), writeId: headers.get('X-Write-Id') } as Said
}

/** Reads the file that an operation answers. Throws `RefusedError` if it is refused. */
export async function readFile(address: string): Promise<Blob> {
  const response = await fetch(address, { credentials: 'same-origin' }).catch(() => {
    throw new RefusedError(0, { code: 'unreachable' })
  })
  if (response.ok) return response.blob()
  throw new RefusedError(response.status, parseBody(await response.text()))
}

type RefusedBody = Omit<Partial<ProblemBody>, 'code' | 'detail' | 'title'> & {
  code: ProblemBody['code'] | 'unreachable'
  /** They may quote texts of others. */
  detail?: ForeignText
  title?: ForeignText
}

/** Thrown when the service refuses. ra-core also reads `status` and `body`. */
export class RefusedError extends Error {
  readonly status: number
  readonly body: RefusedBody
  constructor(status: number, body: Partial<RefusedBody>) {
    super(String(body.detail ?? body.title ?? status))
    this.name = 'Refused'
    this.status = status
    this.body = { ...body, code: body.code ?? 'internal_error' }
  }
}

/** Returns the refusal of the first refused operation of a batch, with the fields of its record; else the error itself. */
export function refusalOfOperation(error: unknown): unknown {
  const refused = isRefused(error, 'batch_refused') ? error.body.refused?.[0] : undefined
  if (!refused) return error
  const { status, problem } = refused
  const errors = problem.errors?.map(({ field, ...rest }) => ({ field: field.replace(/^body\.?/, ''), ...rest }))
  return new RefusedError(status, { ...problem, ...(errors && { errors }) } as unknown as Partial<RefusedBody>)
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
