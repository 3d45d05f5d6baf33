import { type Call, type CallOptions, type Connection, type Query, type SuccessResponse, send } from './send.ts'
import type { ResourceName, Resources } from './types.gen.ts'
import type {
  Choice,
  CreateResult,
  DeleteResult,
  PageMeta,
  UndoResult,
  UpdateResult,
  UpsertResult,
  WritePlan,
} from './wire.ts'

/** A collection has the calls on the records of one resource. */

export type RecordOf<R extends ResourceName> = Resources[R]['record']
type FieldOf<R extends ResourceName> = keyof RecordOf<R> & string

export type WriteOptions = CallOptions & {
  /** The Idempotency-Key: 1 to 255 visible ASCII characters. If not given, each call gets a new one. */
  key?: string | undefined
}
export type ConditionalOptions = WriteOptions & {
  /** The known ETag: the call is refused if the record has changed since. `*` means any. */
  ifMatch?: string | undefined
}
export type UpsertOptions = ConditionalOptions & {
  /** `*` means create only. */
  ifNoneMatch?: '*' | undefined
}

/** The common members of the answers of all writes. */
export type Written = {
  /** The ETag of the record as the write left it. Undefined if there is no record. */
  etag: string | undefined
  /** The id of the write, for an undo. */
  writeId: string
  /** Whether this is the answer of an earlier call with the same key. */
  replayed: boolean
}

/** The effect of a write, with all that `apply` needs to do it. A plain value that can be stored as JSON. */
export type Preview = {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** The sent body. Null if there is none. */
  body: string | null
  /** The key of every application of this preview, so that two of them are one write. */
  key: string
  headers: { [name: string]: string }
} & WritePlan

/** A write before it is sent. */
export type Write = {
  method: Preview['method']
  path: string
  body?: unknown
  headers?: { readonly [name: string]: string | undefined }
  /** The longest time of one attempt in milliseconds, null for none. */
  attemptMs?: number | null
}

type Selection<R extends ResourceName, F extends FieldOf<R>> = { fields?: readonly F[] }
type ListQuery<R extends ResourceName> = Resources[R]['query']
type PageQuery<R extends ResourceName> = ListQuery<R> & {
  sort?: readonly Resources[R]['sort'][]
  offset?: number
  limit?: number
}

export type Collection<R extends ResourceName> = {
  create(body: Resources[R]['create'], options?: WriteOptions): Promise<CreateResult & Written>
  get(id: number, options: CallOptions & { ifNoneMatch: string }): Promise<Fetched<RecordOf<R> | null>>
  get<F extends FieldOf<R> = FieldOf<R>>(
    id: number,
    options?: CallOptions & Selection<R, F>,
  ): Promise<Fetched<Pick<RecordOf<R>, F | ('id' & FieldOf<R>)>>>
  getByRef<F extends FieldOf<R> = FieldOf<R>>(
    externalRef: string,
    options?: CallOptions & Selection<R, F>,
  ): Promise<Fetched<Pick<RecordOf<R>, F | ('id' & FieldOf<R>)>>>
  update(id: number, body: Resources[R]['update'], options?: ConditionalOptions): Promise<UpdateResult & Written>
  upsert(externalRef: string, body: Resources[R]['update'], options?: UpsertOptions): Promise<UpsertResult & Written>
  delete(id: number, options?: ConditionalOptions): Promise<DeleteResult & Written>
  deleteByRef(externalRef: string, options?: ConditionalOptions): Promise<DeleteResult & Written>
  /** Yields every matching record, by pages of 100 in the order of ids. A deletion meanwhile hides no other record. */
  list<F extends FieldOf<R> = FieldOf<R>>(
    query?: ListQuery<R> & Selection<R, F>,
    options?: CallOptions,
  ): AsyncGenerator<Pick<RecordOf<R>, F | ('id' & FieldOf<R>)>, void, undefined>
  page<F extends FieldOf<R> = FieldOf<R>>(
    query?: PageQuery<R> & Selection<R, F>,
    options?: CallOptions,
  ): Promise<{ records: Pick<RecordOf<R>, F | ('id' & FieldOf<R>)>[] } & PageMeta>
  /** Yields every record that a field can refer to, if these records have no collection of their own. */
  choices(field: ChosenField<R>, query?: { q?: string }, options?: CallOptions): AsyncGenerator<Choice, void, undefined>
  /** Yields the changes of one record, the newest first. */
  history(
    id: number,
    query?: { limit?: number; offset?: number },
    options?: CallOptions,
  ): Promise<{ changes: Resources[R]['change'][] } & PageMeta>
}

export type Fetched<T> = { record: T; etag: string }

/** The fields whose records have no collection of their own. */
type ChosenField<R extends ResourceName> = {
  [F in keyof Resources[R]['references']]: Resources[R]['references'][F] extends ResourceName ? never : F
}[keyof Resources[R]['references']] &
  string

/** The previews of the writes of a collection. */
export type PreviewCollection<R extends ResourceName> = {
  create(body: Resources[R]['create'], options?: WriteOptions): Promise<Preview>
  update(id: number, body: Resources[R]['update'], options?: ConditionalOptions): Promise<Preview>
  upsert(externalRef: string, body: Resources[R]['update'], options?: UpsertOptions): Promise<Preview>
  delete(id: number, options?: ConditionalOptions): Promise<Preview>
  deleteByRef(externalRef: string, options?: ConditionalOptions): Promise<Preview>
}

/** Number of records on a page of a list. */
const pageSize = 100

const idText = (id: number): string => {
  if (!Number.isSafeInteger(id) || id < 1) throw new TypeError(`an id is a whole number above 0: ${id}`)
  return String(id)
}

const refText = (externalRef: string): string => {
  if (typeof externalRef !== 'string' || externalRef === '') throw new TypeError('an external reference is a text')
  return encodeURIComponent(externalRef)
}

/** Returns the writes of a resource as values, which are sent or previewed. */
const writesOn = (name: ResourceName) => {
  const conditions = ({ ifMatch, ifNoneMatch }: UpsertOptions) => ({
    'If-Match': ifMatch,
    'If-None-Match': ifNoneMatch,
  })
  const byRef = (externalRef: string): string => `/v1/${name}/by/external_ref/${refText(externalRef)}`
  return {
    create: (body: unknown): Write => ({ method: 'POST', path: `/v1/${name}`, body }),
    update: (id: number, body: unknown, options: ConditionalOptions = {}): Write => ({
      method: 'PATCH',
      path: `/v1/${name}/${idText(id)}`,
      body,
      headers: conditions(options),
    }),
    upsert: (externalRef: string, body: unknown, options: UpsertOptions = {}): Write => ({
      method: 'PUT',
      path: byRef(externalRef),
      body,
      headers: conditions(options),
    }),
    delete: (id: number, options: ConditionalOptions = {}): Write => ({
      method: 'DELETE',
      path: `/v1/${name}/${idText(id)}`,
      headers: conditions(options),
    }),
    deleteByRef: (externalRef: string, options: ConditionalOptions = {}): Write => ({
      method: 'DELETE',
      path: byRef(externalRef),
      headers: conditions(options),
    }),
  }
}

export function openCollection<R extends ResourceName>(connection: Connection, name: R): Collection<R> {
  const writes = writesOn(name)
  const read = async (path: string, query: Query, options: CallOptions, ifNoneMatch?: string) => {
    const call: Call = { method: 'GET', path, query, headers: { 'If-None-Match': ifNoneMatch } }
    return send(connection, call, options)
  }
  const get = async (
    path: string,
    options: CallOptions & { fields?: readonly string[]; ifNoneMatch?: string } = {},
  ) => {
    const { fields, ifNoneMatch } = options
    const answer = await read(path, { fields }, options, ifNoneMatch)
    return { record: (dataOf(answer) ?? null) as never, etag: answer.headers.get('etag') as string }
  }
  const page = async (path: string, query: Query, options: CallOptions = {}) => {
    const { data, meta } = (await read(path, query, options)).body as { data: never[]; meta: PageMeta }
    return { data, meta }
  }
  /** Walks by id, so that a deletion meanwhile hides no other record. */
  async function* walk(path: string, query: Query, options: CallOptions = {}): AsyncGenerator<never, void, undefined> {
    for (let afterId = 0; ; ) {
      const { data, meta } = await page(path, { ...query, limit: pageSize, after_id: afterId }, options)
      yield* data
      const last = data.at(-1) as { id: number } | undefined
      if (!last || data.length < meta.limit) return
      if (!(last.id > afterId)) throw new Error(`the list does not go on after the id ${afterId}`)
      afterId = last.id
    }
  }
  return {
    create: (body, options) => write(connection, writes.create(body), options),
    get: (id: number, options?: CallOptions) => get(`/v1/${name}/${idText(id)}`, options),
    getByRef: (externalRef, options) => get(`/v1/${name}/by/external_ref/${refText(externalRef)}`, options),
    update: (id, body, options) => write(connection, writes.update(id, body, options), options),
    upsert: (externalRef, body, options) => write(connection, writes.upsert(externalRef, body, options), options),
    delete: (id, options) => write(connection, writes.delete(id, options), options),
    deleteByRef: (externalRef, options) => write(connection, writes.deleteByRef(externalRef, options), options),
    list: (query = {}, options) => walk(`/v1/${name}`, query as Query, options),
    choices: (field, query = {}, options) => walk(`/v1/choices/${name}/${encodeURIComponent(field)}`, query, options),
    page: async (query = {}, options) => {
      const { data, meta } = await page(`/v1/${name}`, query as Query, options)
      return { records: data, ...pageMetaOf(meta) }
    },
    history: async (id, query = {}, options) => {
      const { data, meta } = await page(`/v1/${name}/${idText(id)}/history`, query, options)
      return { changes: data, ...pageMetaOf(meta) }
    },
  }
}

export function openPreviews<R extends ResourceName>(connection: Connection, name: R): PreviewCollection<R> {
  const writes = writesOn(name)
  return {
    create: (body, options) => previewWrite(connection, writes.create(body), options),
    update: (id, body, options) => previewWrite(connection, writes.update(id, body, options), options),
    upsert: (externalRef, body, options) =>
      previewWrite(connection, writes.upsert(externalRef, body, options), options),
    delete: (id, options) => previewWrite(connection, writes.delete(id, options), options),
    deleteByRef: (externalRef, options) => previewWrite(connection, writes.deleteByRef(externalRef, options), options),
  }
}

const pageMetaOf = ({ total, limit, offset }: PageMeta): PageMeta => ({ total, limit, offset })

/** Returns the member `data` of an answer. */
export const dataOf = ({ body }: SuccessResponse): unknown => (body as { data?: unknown } | undefined)?.data

/** Returns the given key, or a new one. Throws TypeError if the service would refuse it. */
export function keyOf({ key = crypto.randomUUID() }: WriteOptions = {}): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new TypeError('a key has 1 to 255 visible ASCII characters')
}

/** Sends a write. All its attempts have one key, so it is done at most once. */
export async function write<T extends CreateResult | UpdateResult | UpsertResult | DeleteResult | UndoResult>(
  connection: Connection,
  { method, path, body, headers = {}, attemptMs }: Write,
  options: WriteOptions = {},
): Promise<T & Written> {
  const answer = await send(
    connection,
    {
      ...{ method, path, key: keyOf(options), headers },
      ...(body === undefined ? {} : { body: bodyText(body) }),
      ...(attemptMs === undefined ? {} : { attemptMs }),
    },
    options,
  )
  return { ...(dataOf(answer) as T), ...writtenOf(answer) }
}

const writtenOf = ({ headers }: SuccessResponse): Written => ({
  etag: headers.get('etag') ?? undefined,
  writeId: headers.get('x-write-id') as string,
  replayed: headers.get('idempotency-replayed') === 'true',
})

function bodyText(body: unknown): string {
  const text = JSON.stringify(body)
  if (text === undefined) throw new TypeError('the body is nothing that JSON can say')
  return text
}

/** Previews a write. Nothing is written. */
export async function previewWrite(
  connection: Connection,
  { method, path, body, headers = {}, attemptMs }: Write,
  options: WriteOptions = {},
): Promise<Preview> {
  const text = body === undefined ? null : bodyText(body)
  const given = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const { body: answered } = await send(
    connection,
    {
      ...{ method, path, headers: { ...given, 'X-Dry-Run': '1' } },
      ...(text === null ? {} : { body: text }),
      ...(attemptMs === undefined ? {} : { attemptMs }),
    },
    options,
  )
  const { hash, total, changes, would_delete, would_keep } = (answered as { plan: WritePlan }).plan
  const plan: WritePlan = { hash, total, changes, would_delete, would_keep }
  return { method, path, body: text, key: keyOf(options), headers: given, ...plan }
}

const previewMethods: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'] satisfies Preview['method'][]

/**
 * Applies a preview exactly, or not at all. Throws Refused `plan_changed` if its effect would differ by now, and
 * TypeError if the stored value is none that this client makes.
 */
export async function applyPreview(
  connection: Connection,
  { method, path, body, key, headers, hash }: Preview,
  options: CallOptions = {},
): Promise<Applied> {
  if (
    !previewMethods.includes(method) ||
    (body !== null && typeof body !== 'string') ||
    !/^sha256-[\w-]{1,100}$/.test(hash)
  ) {
    throw new TypeError('not a preview of this client')
  }
  const call: Call = {
    ...{ method, path, key: keyOf({ key }) },
    // Conditions alone: the headers of a stored value must not replace the token.
    headers: { 'If-Match': headers['If-Match'], 'If-None-Match': headers['If-None-Match'], 'If-Plan': `"${hash}"` },
    ...(body === null ? {} : { body }),
    attemptMs: null,
  }
  const answer = await send(connection, call, options)
  return { ...(dataOf(answer) as object), ...writtenOf(answer) }
}

/** The answer of an applied preview, with members of its own. */
export type Applied = Written & { [member: string]: unknown }
