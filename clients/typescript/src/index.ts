import { type Batch, openBatch } from './batch.ts'
import { type ChangesPage, type ConsumeOptions, consume, follow, type Item, readCursor, type Store } from './changes.ts'
import {
  type Applied,
  applyPreview,
  type Collection,
  dataOf,
  keyOf,
  openCollection,
  openPreviews,
  type Preview,
  type PreviewCollection,
  previewWrite,
  type Write,
  type WriteOptions,
  type Written,
  write,
} from './collection.ts'
import { type CallOptions, type ConnectOptions, openConnection, send } from './send.ts'
import { type ResourceName, resourceNames } from './types.gen.ts'
import type { Me, UndoResult } from './wire.ts'

export type { Batch, BatchCollection, BatchOutcome, BatchResult, Ref } from './batch.ts'
export type { ChangesPage, ConsumeOptions, Item, Store } from './changes.ts'
export type {
  Applied,
  Collection,
  ConditionalOptions,
  Fetched,
  Preview,
  PreviewCollection,
  UpsertOptions,
  WriteOptions,
  Written,
} from './collection.ts'
export { BadSignature, Refused, Unreachable } from './errors.ts'
export type { CallOptions, ConnectOptions } from './send.ts'
export type * from './types.gen.ts'
export { verifyWebhook, type WebhookEvent, type WebhookRequest } from './webhook.ts'
export type * from './wire.ts'

type FollowOptions<R extends ResourceName> = { after?: string; records?: readonly R[]; signal?: AbortSignal }

/** One company, by its token. */
export type Plumbline = { readonly [R in ResourceName]: Collection<R> } & {
  /** Returns the caller and its rights. This is the cheapest test of a token. */
  me(options?: CallOptions): Promise<Me>
  /** The previews of all writes. */
  readonly preview: { readonly [R in ResourceName]: PreviewCollection<R> } & {
    undo(writeId: string, options?: WriteOptions): Promise<Preview>
  }
  /** Applies a preview exactly, or not at all. One preview applied twice is one write. */
  apply(preview: Preview, options?: CallOptions): Promise<Applied>
  /** Undoes a write, with as many calls as it needs. */
  undo(writeId: string, options?: WriteOptions): Promise<UndoResult & Written>
  /** Creates a batch. `all` does all operations or none, and `each` does every one by itself. */
  batch(options: { mode: 'all' | 'each' }): Batch
  /** Returns the cursor of this moment. */
  cursor(options?: { signal?: AbortSignal }): Promise<string>
  follow<R extends ResourceName = ResourceName>(
    options?: FollowOptions<R>,
  ): AsyncGenerator<ChangesPage<R>, void, undefined>
  consume<T, R extends ResourceName = ResourceName>(
    store: Store<T>,
    handle: (tx: T, item: Item<R>) => Promise<void>,
    options?: ConsumeOptions<R>,
  ): Promise<void>
}

/** Opens a client. Nothing is sent yet. Throws TypeError if an option is not usable. */
export function connect(options: ConnectOptions): Plumbline {
  const connection = openConnection(options)
  const collections = createCollections((name) => openCollection(connection, name)) as {
    [R in ResourceName]: Collection<R>
  }
  const undoing = (writeId: string): Write => {
    if (!/^[0-9a-f-]{36}$/i.test(writeId)) throw new TypeError(`a write id is a UUID: ${writeId}`)
    return { method: 'POST', path: `/v1/writes/${writeId}/undo`, attemptMs: null }
  }
  return {
    ...collections,
    me: async (given) => dataOf(await send(connection, { method: 'GET', path: '/v1/me' }, given)) as Me,
    preview: {
      ...(createCollections((name) => openPreviews(connection, name)) as { [R in ResourceName]: PreviewCollection<R> }),
      undo: (writeId, given) => previewWrite(connection, undoing(writeId), given),
    },
    apply: (preview, given) => applyPreview(connection, preview, given),
    async undo(writeId, given = {}) {
      const key = keyOf(given)
      // The same key would replay the first call, so each call has its own, derived from the first.
      for (let part = 1, records = 0, remaining = Number.POSITIVE_INFINITY; ; part += 1) {
        const partKey = part === 1 ? key : `${key}.${part}`
        const result = await write<UndoResult>(connection, undoing(writeId), { ...given, key: partKey })
        records += result.records
        if (result.remaining === 0) return { ...result, records }
        if (!(result.remaining < remaining))
          throw new Error(`the undo does not go on: ${result.remaining} records remain`)
        remaining = result.remaining
      }
    },
    batch: (given) => openBatch(connection, given),
    cursor: ({ signal } = {}) => readCursor(connection, signal),
    follow: (given) => follow(connection, given),
    consume: (store, handle, given) => consume({ connection, collections }, { store, handle }, given),
  }
}

const createCollections = (open: (name: ResourceName) => unknown): object =>
  Object.fromEntries(resourceNames.map((name) => [name, open(name)]))
