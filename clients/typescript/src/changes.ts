import type { Collection } from './collection.ts'
import { type Connection, send } from './send.ts'
import { type Change, type ResourceName, type Resources, references, resourceNames } from './types.gen.ts'

/** The changes of a company, in order and without a gap. */

type FollowRequest<R extends ResourceName> = {
  /** The cursor to go on from. From the oldest change that is kept if not given. */
  after?: string | undefined
  /** The resources to hear of. All that the token may read if not given. */
  records?: readonly R[] | undefined
  signal?: AbortSignal | undefined
}

/** Some changes, and the cursor to keep together with their effect. */
export type ChangesPage<R extends ResourceName> = {
  changes: Resources[R]['change'][]
  next: string
  /** Whether more is there already. */
  more: boolean
  /** The resources that the page tells of. */
  records: ResourceName[]
}

const waitSeconds = 20
/** How much longer than its `wait` a page may take. */
const beyondWaitMs = 15_000
const pageSize = 100

/** Reads one page of the feed, and tries until the signal. */
async function readPage<R extends ResourceName>(
  connection: Connection,
  { after, records, signal, wait }: FollowRequest<R> & { wait: number },
): Promise<ChangesPage<R>> {
  const { body } = await send(
    connection,
    {
      method: 'GET',
      path: '/v1/changes',
      query: { after, records, limit: pageSize, wait: wait === 0 ? undefined : wait },
      attemptMs: wait * 1000 + beyondWaitMs,
    },
    { signal, deadlineMs: Number.POSITIVE_INFINITY },
  )
  const { data, meta } = body as { data: never[]; meta: { next: string; more: boolean; records: ResourceName[] } }
  return { changes: data, ...meta }
}

/** Returns the cursor of this moment. */
export const readCursor = async (connection: Connection, signal?: AbortSignal): Promise<string> =>
  (await readPage(connection, { after: 'now', signal, wait: 0 })).next

/** Yields pages of changes until the signal aborts. A page without changes comes when its cursor moved on. */
export async function* follow<R extends ResourceName = ResourceName>(
  connection: Connection,
  followed: FollowRequest<R> = {},
): AsyncGenerator<ChangesPage<R>, void, undefined> {
  for (let after = followed.after; ; ) {
    const page = await readPage(connection, { ...followed, after, wait: waitSeconds })
    if (page.changes.length > 0 || page.next !== after) yield page
    after = page.next
  }
}

/** The caller's own place for a cursor, and transactions in which the effect of a page is kept together with it. */
export type Store<T> = {
  /** Reads the cursor. Null before the first copy. */
  load(): Promise<string | null>
  transaction(work: (tx: T) => Promise<void>): Promise<void>
  /** Keeps the cursor. Throws if what is stored is no longer `previous`: somebody else consumes into this store. */
  save(tx: T, next: string, previous: string | null): Promise<void>
}

/** A record of the first copy, or a change. */
export type Item<R extends ResourceName> =
  | { [N in R]: { kind: 'record'; records: N; record: Resources[N]['record'] } }[R]
  | { kind: 'change'; change: Extract<Change, { records: R }> }

export type ConsumeOptions<R extends ResourceName> = {
  records?: readonly R[]
  /** Whether to end where nothing more is there. */
  once?: boolean
  signal?: AbortSignal
}

type Collections = { readonly [R in ResourceName]: Collection<R> }

/**
 * Hands every change over exactly once: what `handle` does in the transaction is kept together with the cursor. An empty
 * store begins with a copy of all records. What changes while it is read comes as a record and again as a change.
 */
export async function consume<T, R extends ResourceName = ResourceName>(
  { connection, collections }: { connection: Connection; collections: Collections },
  { store, handle }: { store: Store<T>; handle: (tx: T, item: Item<R>) => Promise<void> },
  { records, once = false, signal }: ConsumeOptions<R> = {},
): Promise<void> {
  let cursor = await store.load()
  if (cursor === null) cursor = await copy()
  for (;;) {
    const previous: string = cursor
    const page: ChangesPage<R> = await readPage(connection, {
      ...{ after: previous, records, signal, wait: once ? 0 : waitSeconds },
    })
    if (page.next !== previous) {
      await store.transaction(async (tx) => {
        for (const change of page.changes) await handle(tx, { kind: 'change', change } as never)
        await store.save(tx, page.next, previous)
      })
      cursor = page.next
    }
    if (once && !page.more && page.changes.length === 0) return
    signal?.throwIfAborted()
  }

  /** The cursor first, then the lists: a change during the copy comes afterwards. */
  async function copy(): Promise<string> {
    const start = await readPage(connection, { after: 'now', records, signal, wait: 0 })
    await store.transaction(async (tx) => {
      for (const name of inOrder(start.records.filter((one) => resourceNames.includes(one)))) {
        const { list } = collections[name] as Collection<ResourceName>
        for await (const record of list({}, { signal, deadlineMs: Number.POSITIVE_INFINITY })) {
          await handle(tx, { kind: 'record', records: name, record } as never)
        }
      }
      await store.save(tx, start.next, null)
    })
    return start.next
  }
}

/** Sorts so that what is referred to comes first. */
function inOrder(names: readonly ResourceName[]): ResourceName[] {
  const placed: ResourceName[] = []
  const place = (name: ResourceName, above: readonly ResourceName[]): void => {
    if (placed.includes(name) || above.includes(name)) return
    for (const to of references[name]) if (names.includes(to)) place(to, [...above, name])
    placed.push(name)
  }
  for (const name of names) place(name, [])
  return placed
}
