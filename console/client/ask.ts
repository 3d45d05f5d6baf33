import {
  type Answered,
  type AnswerOf,
  type BodyOf,
  type ConsoleOperationName,
  consoleOperations,
  consoleRoot,
  type PathOf,
  type QueryOf,
} from '#derive/console/operations.ts'
import type { ProblemBody, WritePlan } from '#registry/refusals.ts'

/** Asks for an operation of the interface. Whatever is refused is thrown as a `Refused`. */
export const ask = <Name extends ConsoleOperationName>(name: Name, ...given: Given<Name>): Promise<Answer<Name>> =>
  send(consoleOperations[name].method, addressOf(name, ...given), given[0] ?? {})

/** What an operation is asked with: what its path leaves open, its parameters and its body. */
export type Given<Name extends ConsoleOperationName> =
  object extends Sent<Name> ? [given?: Sent<Name>] : [given: Sent<Name>]

type Sent<Name extends ConsoleOperationName> = { [parameter in PathOf<Name>]: string | number } & Beside &
  ([QueryOf<Name>] extends [never] ? unknown : { query?: Query<Name> }) &
  (BodyOf<Name> extends undefined ? unknown : { body: BodyOf<Name> })

/** `etag`: only while the record has this tag; `plan`: only where this plan is true still. */
type Beside = { etag?: string | null; plan?: WritePlan | undefined; signal?: AbortSignal }

/** Parameters; those that are not set are left out. */
export type Query<Name extends ConsoleOperationName> = { readonly [name in QueryOf<Name>]?: unknown }

/** `writeId` names what was written, `plan` what a dry-run would write. */
export type Answer<Name extends ConsoleOperationName> = Answered<AnswerOf<Name>> & {
  etag: string | null
  writeId: string | null
  plan?: WritePlan
}

/** Where an operation is asked for, for what is no call: a link, and the key of what was loaded. */
export function addressOf<Name extends ConsoleOperationName>(name: Name, ...[given]: Given<Name>): string {
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

type Whole = Beside & { body?: unknown }

export async function send<Said>(method: string, address: string, { body, etag, plan, signal }: Whole): Promise<Said> {
  const response = await fetch(address, {
    method,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(etag ? { 'If-Match': etag } : {}),
      ...(plan ? { 'If-Plan': `"${plan.hash}"` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new Refused(0, { code: 'unreachable' })
  })
  const said = parsed(await response.text())
  if (!response.ok) throw new Refused(response.status, said as Partial<ProblemBody>)
  const { headers } = response
  return { ...said, etag: headers.get('ETag'), writeId: headers.get('X-Write-Id') } as Said
}

type RefusedBody = Omit<Partial<ProblemBody>, 'code'> & { code: ProblemBody['code'] | 'unreachable'; detail: string }

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

export const isRefused = (error: unknown, code?: RefusedBody['code']): error is Refused =>
  error instanceof Refused && (code === undefined || error.body.code === code)

export const isUnauthorized = (error: unknown): error is Refused => isRefused(error, 'unauthorized')

function parsed(text: string): object {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return {}
  }
}
