import type { Collection } from './collection.ts'
import { type Connection, pause, send } from './send.ts'
import { type Change, type ResourceName, type Resources, references, resourceNames } from './types.gen.ts'

/** The changes of a company, in order and without a gap. */

type FollowRequest<R extends ResourceName> = {
  /** The cursor to continue from. If not given, the feed begins with the oldest stored change. */
  after?: string | undefined
  /** The resources whose changes are read. If not given, all that the token may read. */
  records?: readonly R[] | undefined
  signal?: AbortSignal | undefined
}

/** A page of changes, and the cursor to store together with their effect. */
export type ChangesPage<R extends ResourceName> = {
  changes: Resources[R]['change'][]
  next: string
  /** Whether there are more changes already. */
  more: boolean
  /** The resources of the page. */
  records: ResourceName[]
}

const waitSeconds = 20
/** Milliseconds that a page may take beyond its `wait`. */
const beyondWaitMs = 15_000
const pageSize = 100
/** Milliseconds between two pages of a feed that does not move, though its answers do not wait. */
const idleMs = 1000

/** Reads one page of the feed. Retries until the signal aborts. */
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
  const { next, more, records: names } = meta
  if (typeof next !== 'string') throw new TypeError('the answer is no page of changes: it has no cursor')
  return { changes: data, next, more, records: names }
}

/** Reads the next page of a feed, and waits for a moment if it does not move: no answer makes a follower hammer. */
async function readNext<R extends ResourceName>(
  connection: Connection,
  asked: Parameters<typeof readPage<R>>[1],
): Promise<ChangesPage<R>> {
  const start = performance.now()
  const page = await readPage(connection, asked)
  const isIdle = page.next === asked.after && page.changes.length === 0
  if (isIdle && asked.wait > 0) await pause(Math.max(0, start + idleMs - performance.now()), asked.signal)
  return page
}

/** Returns the cursor of this moment. */
export const readCursor = async (connection: Connection, signal?: AbortSignal): Promise<string> =>
  (await readPage(connection, { after: 'now', signal, wait: 0 })).next

/** Yields pages of changes until the signal aborts. Yields a page without changes if its cursor has moved. */
export async function* follow<R extends ResourceName = ResourceName>(
  connection: Connection,
  followed: FollowRequest<R> = {},
): AsyncGenerator<ChangesPage<R>, void, undefined> {
  for (let after = followed.after; ; ) {
    const page = await readNext(connection, { ...followed, after, wait: waitSeconds })
    if (page.changes.length > 0 || page.next !== after) yield page
    after = page.next
  }
}

/** The caller's storage for a cursor, with transactions that store it together with the effect of a page. */
export type Store<T> = {
  /** Reads the cursor. Null before the first copy. */
  load(): Promise<string | null>
  transaction(work: (tx: T) => Promise<void>): Promise<void>
  /** Stores the cursor. Throws if the stored one is no longer `previous`: another consumer uses this store. */
  save(tx: T, next: string, previous: string | null): Promise<void>
}

/** A record of the first copy, or a change. */
export type Item<R extends ResourceName> =
  | { [N in R]: { kind: 'record'; records: N; record: Resources[N]['record'] } }[R]
  | { kind: 'change'; change: Extract<Change, { records: R }> }

export type ConsumeOptions<R extends ResourceName> = {
  records?: readonly R[]
  /** Whether to end when there are no more changes. */
  once?: boolean
  signal?: AbortSignal
}

type Collections = { readonly [R in ResourceName]: Collection<R> }

/**
 * Passes every change to `handle` exactly once: its effect in the transaction is stored together with the cursor. If
 * the store is empty, begins with a copy of all records. A record that changes during the copy comes again as a change.
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
    const page: ChangesPage<R> = await readNext(connection, {
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

  /** Reads the cursor first and then the lists, so that changes during the copy follow it. */
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

/** Sorts resources so that referenced ones come first. */
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
