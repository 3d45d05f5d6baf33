import { createServer, type Server } from 'node:http'
import { drawer, pickOf } from './draw.ts'
import type { Line, RecordedEvent } from './history.ts'
import { operations, type Parts, pause, type Site, settle } from './operations.ts'
import type { RecordedRequest, RecordedResponse, Recorder } from './recorder.ts'

/** What of the records under load refers to what. */
export const references: readonly Line[] = [
  { kind: 'reference', records: 'projects', field: 'client_id', to: 'clients' },
  { kind: 'reference', records: 'projects', field: 'manager_id', to: 'workers' },
]

/** The records under load. */
export const loadedRecords = ['clients', 'workers', 'projects'] as const

/** A company to load: the tokens that callers have, which may change while they call. */
export type Account = { name: string; token: RecordedRequest['token'] }

export type Load = {
  /** Stops the callers once what they sent has a result, and returns what the service says then. */
  hearEnd(): Promise<Line[]>
  /** Lets the callers go on after that. */
  goOn(): void
  /** Writes what the service says in the end into the history, and ends those who follow the feed. */
  finish(): Promise<void>
}

type WorkloadContext = {
  recorder: Recorder
  accounts: readonly Account[]
  seed: number
  writers: number
  followers: number
  /** The records that the receiver of a company is told of. */
  receiver?: Receiver
  rare?: RareOperations
}

/** Names operations of which half of all that is called are made, while there are any. */
type RareOperations = () => readonly string[]

/** Loads companies with callers that write the same few records in every way. */
export async function startLoad({
  recorder,
  accounts,
  seed,
  writers,
  followers,
  receiver,
  rare,
}: WorkloadContext): Promise<Load> {
  const draw = drawer(seed)
  let isOver = false
  const sites = accounts.map((account) =>
    createSite({ name: account.name, recorder, draw, token: () => account.token, isOver: () => isOver }),
  )
  await Promise.all(sites.map((site) => prepare(site, (parts) => settle(site, 'prepare', parts))))
  let callers: Promise<void>[] = []
  let isAllSaid = false
  let end: Line[] | null = null
  const followings = sites.flatMap((site) =>
    Array.from({ length: followers }, (_, index) => follow(site, `follower ${index + 1}`, () => isAllSaid)),
  )
  const goOn = (): void => {
    isOver = false
    end = null
    callers = sites.flatMap((site) =>
      Array.from({ length: writers }, () =>
        keepCalling(site, (operation) => (parts) => settle(site, operation, parts), 30, rare),
      ),
    )
  }
  const hearEnd = async (): Promise<Line[]> => {
    isOver = true
    await Promise.all(callers)
    for (const site of sites) await untilTold(site)
    let lines: Line[] = []
    for (const site of sites) {
      const { told, lines: said } = await hearSite(site)
      const last = told.at(-1)?.id
      const own = followings.filter(({ company }) => company === site.name)
      await untilStill(() => own.filter(({ told }) => told() !== last).length)
      // `push` takes fewer arguments than a long load has lines.
      lines = lines.concat(said)
      await receiver?.untilTaken(site.name, told)
    }
    end = lines
    return lines
  }
  goOn()
  return {
    goOn,
    hearEnd,
    async finish() {
      for (const line of end ?? (await hearEnd())) recorder.write(line)
      isAllSaid = true
      await Promise.all(followings.map(({ ended }) => ended))
    },
  }
}

/** Waits until nothing is left; not for ever where nothing changes any more. */
async function untilStill(left: () => number): Promise<void> {
  for (let tries = 0, before = left(); before > 0 && tries < stillMax; ) {
    await pause(100)
    const now = left()
    tries = now < before ? 0 : tries + 1
    before = now
  }
}

/** Tenths of a second: longer than a webhook waits from one attempt to the next. */
const stillMax = 100

type SiteContext = Pick<Site, 'name' | 'recorder' | 'draw' | 'token' | 'isOver'> & {
  /** What makes its names others than those of another site of the company. */
  prefix?: string
}

/** A company in which nothing is known yet. */
export function createSite({ prefix, ...site }: SiteContext): Site {
  let made = 0
  return {
    ...{ ...site, clients: [], workers: [], projects: [], writes: [] },
    next: (what) => `${what}-${prefix ?? site.name}-${made++}`,
  }
}

type Send = (parts: Parts) => Promise<RecordedResponse>

/** Creates the records that all callers write. Throws where one is not created. */
export async function prepare(site: Site, send: Send): Promise<void> {
  const create = async (records: string, into: number[]): Promise<void> => {
    const parts = { method: 'POST', path: `/v1/${records}`, body: { name: site.next(records) }, key: site.next('key') }
    const { answer, status } = await send(parts)
    if (status !== 201) throw new Error(`${records}: ${status} ${JSON.stringify(answer)}`)
    into.push(answer.data.id)
  }
  for (let count = 0; count < 4; count++) await create('clients', site.clients)
  for (let count = 0; count < 2; count++) await create('workers', site.workers)
  // These records stay: an undo would take them away.
  site.writes.length = 0
}

/** Makes one operation after the other until the site is over, with a pause of up to so many milliseconds between two. */
export async function keepCalling(
  site: Site,
  sendAs: (operation: string) => Send,
  pauseMs: number,
  rare: RareOperations = () => [],
): Promise<void> {
  const names = Object.keys(operations)
  while (!site.isOver()) {
    const rarest = rare()
    const name = pickOf(rarest.length > 0 && site.draw() < 0.5 ? rarest : names, site.draw) as string
    await operations[name]?.(site, sendAs(name))
    await pause(pauseMs * site.draw())
  }
}

type Following = { company: string; told(): string | undefined; ended: Promise<void> }

/** Follows the feed as docs/events.md has it, from now on, until all is said. After a 410 it begins anew. */
function follow(site: Site, who: string, isAllSaid: () => boolean): Following {
  let told: string | undefined
  /** Null where the cursor is gone. */
  const get = async (query: string) => {
    for (;;) {
      const { status, answer } = await hear(site, `/v1/changes?${query}`, 'follow')
      if (status === 200) return answer
      if (status === 410) return null
      await pause(50)
    }
  }
  const run = async (): Promise<void> => {
    for (let starts = 1; !isAllSaid(); starts++) {
      const to = starts === 1 ? who : `${who}, start ${starts}`
      let page = await get('after=now')
      while (page && !isAllSaid()) {
        for (const { id } of page.data) {
          site.recorder.write({ kind: 'told', company: site.name, to, id })
          told = id
        }
        page = await get(`after=${page.meta.next}&limit=100&wait=1`)
      }
      if (!page) site.recorder.write({ kind: 'gone', company: site.name, to })
    }
  }
  return { company: site.name, told: () => told, ended: run() }
}

const hear = ({ recorder, name, token }: Site, path: string, operation = 'end') =>
  recorder.send({ operation, company: name, token: token(), method: 'GET', path })

/** Asks until it is answered; null where there is nothing. */
async function hearWell(site: Site, path: string) {
  for (let tries = 0; ; tries++) {
    const heard = await hear(site, path)
    if (heard.status === 200) return heard.answer
    if (heard.status === 404) return null
    if (tries > 300) throw new Error(`${path} is answered ${heard.status} in the end`)
    await pause(100)
  }
}

/** Waits until a change that is written now is told: then all before it are. */
export async function untilTold(site: Site): Promise<void> {
  const body = { name: site.next('last') }
  const { write } = await settle(site, 'end', { method: 'POST', path: '/v1/clients', body, key: site.next('key') })
  let { next } = (await hearWell(site, '/v1/changes?after=now')).meta
  for (let tries = 0; tries < 300; tries++) {
    const told = await hearFeed(site)
    if (told.some(({ write_id }) => write_id === write)) return
    await pause(100)
    next = (await hearWell(site, `/v1/changes?after=${next}`)).meta.next
  }
  throw new Error('the feed does not tell what was written')
}

type DeliveredEvent = RecordedEvent & { id: string }

/** Returns the changes of a company, and all that the service says of it in the end. */
export async function hearSite(site: Site): Promise<{ told: DeliveredEvent[]; lines: Line[] }> {
  const told = await hearFeed(site)
  const feed = told.map((event): Line => ({ kind: 'feed', company: site.name, event }))
  return { told, lines: [...feed, ...(await hearLists(site)), ...(await hearHistories(site, told))] }
}

async function hearFeed(site: Site): Promise<DeliveredEvent[]> {
  const told: DeliveredEvent[] = []
  for (let query = ''; ; ) {
    const { data, meta } = await hearWell(site, `/v1/changes?limit=100${query}`)
    told.push(...data)
    if (data.length === 0 && !meta.more) return told
    query = `&after=${meta.next}`
  }
}

async function hearLists(site: Site): Promise<Line[]> {
  const lines: Line[] = []
  for (const records of loadedRecords)
    for (let after = 0; ; ) {
      const { data } = await hearWell(site, `/v1/${records}?limit=100&after_id=${after}`)
      for (const record of data) lines.push({ kind: 'listed', company: site.name, records, record })
      if (data.length < 100) break
      after = data.at(-1).id
    }
  return lines
}

/** How many records have their histories heard: those that changed most. */
const historiesMax = 60

async function hearHistories(site: Site, told: readonly DeliveredEvent[]): Promise<Line[]> {
  const lines: Line[] = []
  const counts = new Map<string, number>()
  for (const { records, record_id } of told) {
    const record = `${records}/${record_id}`
    counts.set(record, (counts.get(record) ?? 0) + 1)
  }
  const most = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, historiesMax)
  for (const [record] of most) {
    const events: string[] = []
    for (;;) {
      const { data } = (await hearWell(site, `/v1/${record}/history?limit=100&offset=${events.length}`)) ?? { data: [] }
      events.push(...data.map(({ id }: { id: string }) => id))
      if (data.length < 100) break
    }
    const [records, id] = record.split('/') as [string, string]
    lines.push({ kind: 'history', company: site.name, records, id: Number(id), events })
  }
  return lines
}

/** What receivers of webhooks were told, and when all of it has arrived. */
export type Receiver = {
  /** The address for one company. */
  addressOf(company: string): string
  untilTaken(company: string, told: readonly DeliveredEvent[]): Promise<void>
  close(): Promise<void>
}

/** The records that receivers are told of. */
export const receivedRecords = ['projects', 'workers'] as const

/** A receiver on this machine that sometimes fails. */
export async function openReceiver(write: (line: Line) => void, draw: () => number): Promise<Receiver> {
  const taken = new Set<string>()
  let isFinal = false
  const server: Server = createServer((incoming, answer) => {
    const company = incoming.url?.slice(1) as string
    const id = incoming.headers['webhook-id'] as string
    incoming.resume().on('end', () => {
      const isTaken = isFinal || draw() > 0.02
      if (isTaken) taken.add(`${company} ${id}`)
      write({ kind: 'delivery', company, endpoint: `receiver of ${company}`, id, taken: isTaken })
      answer.writeHead(isTaken ? 204 : 500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    addressOf: (company) => `http://127.0.0.1:${port}/${company}`,
    async untilTaken(company, told) {
      isFinal = true
      const due = told.filter(({ records }) => (receivedRecords as readonly string[]).includes(records))
      await untilStill(() => due.filter(({ id }) => !taken.has(`${company} ${id}`)).length)
      isFinal = false
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
