import { type Preview, previewWrite, type Write, type WriteOptions, type Written, write } from './collection.ts'
import type { Connection } from './send.ts'
import { type ResourceName, type Resources, resourceNames } from './types.gen.ts'
import type { Problem } from './wire.ts'

/** A batch sends many writes in one call. */

declare const refersTo: unique symbol
/** A placeholder for the id of a record that an earlier operation of the batch creates. */
export type Ref<R extends ResourceName> = { readonly $ref: string; readonly [refersTo]?: R }

type References<R extends ResourceName> = Resources[R]['references']
/** A body whose references also accept an earlier operation of the batch. */
type BatchBody<R extends ResourceName, B> = {
  [F in keyof B]: F extends keyof References<R>
    ? References<R>[F] extends ResourceName
      ? B[F] | Ref<References<R>[F]>
      : B[F]
    : B[F]
}

/** The record of an operation: its id or its external reference. */
type Target = number | { externalRef: string }
type OperationOptions = { ifMatch?: string }

export type BatchCollection<R extends ResourceName> = {
  create(body: BatchBody<R, Resources[R]['create']>): Ref<R>
  update(record: Target, body: BatchBody<R, Resources[R]['update']>, options?: OperationOptions): Ref<R>
  upsert(externalRef: string, body: BatchBody<R, Resources[R]['update']>, options?: OperationOptions): Ref<R>
  delete(record: Target, options?: OperationOptions): void
}

/** The outcome of one operation, at its position. A refused one has a `problem`. */
export type BatchOutcome = {
  n: number
  as?: string
  status: number
  etag?: string
  data?: { id: number | null; [member: string]: unknown }
  problem?: Problem
}

export type BatchResult = Written & { mode: string; done: number; refused: number; operations: BatchOutcome[] }

export type Batch = { readonly [R in ResourceName]: BatchCollection<R> } & {
  /** Sends the operations. Throws Refused `batch_refused` in the mode `all` if one is refused; then nothing is done. */
  send(options?: WriteOptions): Promise<BatchResult>
  preview(options?: WriteOptions): Promise<Preview>
}

export function openBatch(connection: Connection, { mode }: { mode: 'all' | 'each' }): Batch {
  const operations: object[] = []
  const add = (operation: object): Ref<never> => {
    const name = `r${operations.length + 1}`
    operations.push({ ...operation, as: name })
    return { $ref: name }
  }
  const idOf = (record: Target): object =>
    typeof record === 'number' ? { id: record } : { external_ref: record.externalRef }
  const condition = ({ ifMatch }: OperationOptions = {}): object => (ifMatch === undefined ? {} : { if_match: ifMatch })
  const collection = (records: ResourceName): BatchCollection<ResourceName> => ({
    create: (body) => add({ op: 'create', records, body }),
    update: (record, body, options) => add({ op: 'update', records, ...idOf(record), body, ...condition(options) }),
    upsert: (external_ref, body, options) => add({ op: 'upsert', records, external_ref, body, ...condition(options) }),
    delete: (record, options) => {
      operations.push({ op: 'delete', records, ...idOf(record), ...condition(options) })
    },
  })
  const whole = (): Write => {
    if (operations.length === 0) throw new TypeError('a batch has an operation at least')
    return { method: 'POST', path: '/v1/batch', body: { mode, operations }, attemptMs: null }
  }
  return {
    ...(Object.fromEntries(resourceNames.map((name) => [name, collection(name)])) as { [R in ResourceName]: never }),
    send: (options) => write<never>(connection, whole(), options),
    preview: (options) => previewWrite(connection, whole(), options),
  }
}
