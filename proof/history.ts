import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * A recorded history: what callers sent and heard, and in the end what the service itself says of it. One JSON value a
 * line, in any order but that of its own kind. proof/README.md describes each.
 */
export type Line =
  | ({ kind: 'call' } & RecordedCall)
  | { kind: 'limit'; company: string; records: string; most: number }
  | { kind: 'reference'; records: string; field: string; to: string }
  /** From then on the token has been replaced or revoked, and whoever did it knows. */
  | { kind: 'revoked'; token: string; at: number }
  /** A change that somebody who follows the feed was told. */
  | { kind: 'told'; company: string; to: string; id: string }
  /** From then on this one is told nothing: the cursor was answered 410, and a new start has another name. */
  | { kind: 'gone'; company: string; to: string }
  /**
   * The last that was answered between two moments may be lost, as the operator was told: a standby that lagged takes over, or a
   * restore goes back. At the second one whatever had answered is gone.
   */
  | { kind: 'lost'; from: number; to: number }
  /** A receiver of webhooks: whether it asked for the order of the feed, and of which records it is told. */
  | { kind: 'endpoint'; company: string; endpoint: string; ordered: boolean; records: readonly string[] }
  /** A message of a webhook that arrived, and whether its receiver took it. */
  | { kind: 'delivery'; company: string; endpoint: string; id: string; taken: boolean }
  | { kind: 'feed'; company: string; event: RecordedEvent }
  | { kind: 'listed'; company: string; records: string; record: Fields }
  /** The ids of the changes of one record, the newest first. */
  | { kind: 'history'; company: string; records: string; id: number; events: readonly string[] }

export type Fields = { readonly [field: string]: unknown }

/** Times are milliseconds of one clock. `end` and `status` are null where no answer came. */
export type RecordedCall = {
  company: string
  token: string
  start: number
  end: number | null
  method: string
  path: string
  key?: string | null
  /** Of the body, so that two bodies under one key are told apart. */
  hash?: string | null
  ifMatch?: string
  ifPlan?: string
  dryRun?: boolean
  status: number | null
  replayed?: boolean
  etag?: string
  /** X-Write-Id. */
  write?: string
  /** The body of the answer. Of a read it may be left out. */
  answer?: unknown
}

export type RecordedEvent = {
  id: string
  records: string
  record_id: number
  version: number
  action: string
  changes: { readonly [field: string]: readonly [unknown, unknown] } | null
  /** As it is now; of one that is gone, as it last was, or null. */
  record?: Fields | null
  write_id: string | null
  by?: { idempotency_key?: string | null }
}

/** A call in memory. A million of them have to take little: what most calls do not have lies with their class. */
export type Call = {
  readonly token: string
  readonly start: number
  readonly end: number | null
  readonly method: string
  readonly path: string
  readonly status: number | null
  /** The record that the path names, such as `clients/12`. */
  readonly record: string | null
  /** From the entity tag. */
  readonly version: number | null
  readonly key: string | null
  readonly hash: string | null
  readonly ifMatch: string | undefined
  readonly ifPlan: string | undefined
  readonly dryRun: boolean
  readonly replayed: boolean
  readonly write: string | undefined
  /** Of a write. */
  readonly answer: Json | null
  /** The answer of a write as text. */
  readonly text: string | null
}

/** The answer of a write: one for all that are equal. */
type Said = { text: string; answer: Json }

class Read implements Call {
  readonly token
  readonly start
  readonly end
  readonly method
  readonly path
  readonly status
  readonly record
  readonly version
  constructor(line: RecordedCall, one: (text: string) => string) {
    this.token = one(line.token)
    this.start = line.start
    this.end = line.end
    this.method = one(line.method)
    this.path = one(line.path)
    this.status = line.status
    this.record = recordOf(line, one)
    this.version = versionOf(line.etag)
  }
  get key(): string | null {
    return null
  }
  get hash(): string | null {
    return null
  }
  get ifMatch(): string | undefined {
    return undefined
  }
  get ifPlan(): string | undefined {
    return undefined
  }
  get dryRun(): boolean {
    return false
  }
  get replayed(): boolean {
    return false
  }
  get write(): string | undefined {
    return undefined
  }
  get answer(): Json | null {
    return null
  }
  get text(): string | null {
    return null
  }
}

class Write extends Read {
  readonly #key
  readonly #hash
  readonly #write
  readonly #said
  constructor(line: RecordedCall, one: (text: string) => string, said: Said | null) {
    super(line, one)
    this.#key = line.key ? one(line.key) : null
    this.#hash = line.hash ? one(line.hash) : null
    this.#write = line.write === undefined ? undefined : one(line.write)
    this.#said = said
  }
  override get key(): string | null {
    return this.#key
  }
  override get hash(): string | null {
    return this.#hash
  }
  override get write(): string | undefined {
    return this.#write
  }
  override get answer(): Json | null {
    return this.#said?.answer ?? null
  }
  override get text(): string | null {
    return this.#said?.text ?? null
  }
}

class Replay extends Write {
  override get replayed(): boolean {
    return true
  }
}

/** A write with a condition, and a preview. */
class Conditional extends Write {
  readonly #ifMatch
  readonly #ifPlan
  readonly #dryRun
  readonly #replayed
  constructor(line: RecordedCall, one: (text: string) => string, said: Said | null) {
    super(line, one, said)
    this.#ifMatch = line.ifMatch
    this.#ifPlan = line.ifPlan
    this.#dryRun = line.dryRun === true
    this.#replayed = line.replayed === true
  }
  override get ifMatch(): string | undefined {
    return this.#ifMatch
  }
  override get ifPlan(): string | undefined {
    return this.#ifPlan
  }
  override get dryRun(): boolean {
    return this.#dryRun
  }
  override get replayed(): boolean {
    return this.#replayed
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the checker looks into recorded answers, which may say anything
type Json = any

export type Event = {
  id: string
  record: string
  version: number
  action: string
  changes: RecordedEvent['changes']
  write: string | null
  key: string | null
}

/** What there is of one company. */
export type CompanyHistory = {
  name: string
  /** One whose answer may be lost stands here as if it had not been answered. */
  calls: Call[]
  /** The calls whose answer may be lost, as they were answered. */
  losable: Call[]
  /** From the first change, in the order of the feed. */
  feed: Event[]
  /** The same by the write that made them, and by their record. */
  byWrite: Map<string, Event[]>
  byRecord: Map<string, Event[]>
  /** The last that the feed says of each record, as text. */
  newest: Map<string, string>
  listed: Map<string, Fields>
  /** The ids of the changes of each record, the newest first. */
  histories: Map<string, readonly string[]>
  limits: Map<string, number>
  /** The ids that each one who follows was told. */
  told: Map<string, string[]>
  /** Those of them whose cursor was answered 410. */
  gone: Set<string>
  endpoints: Map<string, Endpoint>
}

export type Endpoint = {
  ordered: boolean
  records: readonly string[]
  deliveries: { id: string; taken: boolean }[]
}

export type History = {
  companies: CompanyHistory[]
  references: { records: string; field: string; to: string }[]
  /** When each token was known to be worth nothing any more. */
  revoked: Map<string, number>
  /** The times of which the last may be lost. */
  losses: Loss[]
}

export type Loss = { from: number; to: number }

/** Whether a call was under way at a time, or answered then. */
export const isWithin = ({ start, end }: Pick<Call, 'start' | 'end'>, { from, to }: Loss): boolean =>
  end !== null && end > from && start < to

/** Takes lines and makes a history of them. */
export function createHistory(): { take(line: Line): void; history: History } {
  const history: History = { companies: [], references: [], revoked: new Map(), losses: [] }
  const byName = new Map<string, CompanyHistory>()
  const texts = new Map<string, string>()
  /** The answers of writes, those of one text once. */
  const answers = new Map<string, Said>()
  /** One string for all that are equal. */
  const one = (text: string): string => {
    const known = texts.get(text)
    if (known !== undefined) return known
    texts.set(text, text)
    return text
  }
  const companyOf = (name: string): CompanyHistory => {
    const known = byName.get(name)
    if (known) return known
    const company: CompanyHistory = {
      ...{
        name,
        calls: [],
        losable: [],
        feed: [],
        byWrite: new Map(),
        byRecord: new Map(),
        newest: new Map(),
        listed: new Map(),
        histories: new Map(),
      },
      ...{ limits: new Map(), told: new Map(), gone: new Set(), endpoints: new Map() },
    }
    byName.set(name, company)
    history.companies.push(company)
    return company
  }
  return {
    history,
    take(line) {
      if (line.kind === 'reference') return void history.references.push(line)
      if (line.kind === 'revoked') return void history.revoked.set(line.token, line.at)
      if (line.kind === 'lost') {
        history.losses.push(line)
        for (const company of history.companies) loseAnswers(company, line)
        return
      }
      const company = companyOf(line.company)
      if (line.kind === 'call') {
        const call = callOf(line, one, answers)
        const isLosable = history.losses.some((loss) => isWithin(call, loss))
        if (isLosable) company.losable.push(call)
        company.calls.push(isLosable ? withoutAnswer(call) : call)
      } else if (line.kind === 'limit') company.limits.set(line.records, line.most)
      else if (line.kind === 'told') pushTo(company.told, line.to, one(line.id))
      else if (line.kind === 'gone') company.gone.add(line.to)
      else if (line.kind === 'endpoint') {
        const { ordered, records } = line
        company.endpoints.set(line.endpoint, { ordered, records, deliveries: [] })
      } else if (line.kind === 'delivery') {
        company.endpoints.get(line.endpoint)?.deliveries.push({ id: one(line.id), taken: line.taken })
      } else if (line.kind === 'feed') {
        const { id, records, record_id, version, action, changes, write_id, by, record } = line.event
        const key = one(`${records}/${record_id}`)
        const event: Event = {
          id: one(id),
          record: key,
          version,
          action: one(action),
          changes: changes && changesOf(changes, one),
          write: write_id && one(write_id),
          key: by?.idempotency_key ? one(by.idempotency_key) : null,
        }
        company.feed.push(event)
        if (event.write !== null) pushTo(company.byWrite, event.write, event)
        pushTo(company.byRecord, key, event)
        if (record) company.newest.set(key, JSON.stringify(record))
      } else if (line.kind === 'listed') company.listed.set(one(`${line.records}/${line.record.id}`), line.record)
      else company.histories.set(one(`${line.records}/${line.id}`), line.events.map(one))
    },
  }
}

function loseAnswers(company: CompanyHistory, loss: Loss): void {
  for (const [place, call] of company.calls.entries()) {
    if (!isWithin(call, loss)) continue
    company.losable.push(call)
    company.calls[place] = withoutAnswer(call)
  }
}

/** A call that may have happened or not. */
function withoutAnswer({ token, start, method, path, record, key, hash, ifMatch, ifPlan, dryRun }: Call): Call {
  return {
    ...{ token, start, end: null, method, path, status: null, key, hash, ifMatch, ifPlan, dryRun },
    // The record of a create is named by its answer.
    ...{ record: method === 'POST' ? null : record, version: null },
    ...{ replayed: false, write: undefined, answer: null, text: null },
  }
}

/** The same with one string for all that are equal. */
function changesOf(changes: NonNullable<RecordedEvent['changes']>, one: (text: string) => string): typeof changes {
  const value = (of: unknown): unknown => (typeof of === 'string' ? one(of) : of)
  const made: { [field: string]: [unknown, unknown] } = {}
  for (const field of Object.keys(changes)) {
    const [before, after] = changes[field] as readonly [unknown, unknown]
    made[field] = [value(before), value(after)]
  }
  return made
}

function callOf(line: RecordedCall, one: (text: string) => string, answers: Map<string, Said>): Call {
  if (line.method === 'GET') return new Read(line, one)
  let said: Said | null = null
  if (line.answer !== undefined) {
    const text = JSON.stringify(line.answer)
    said = answers.get(text) ?? { text, answer: line.answer }
    answers.set(text, said)
  }
  const isPlain = line.ifMatch === undefined && line.ifPlan === undefined && !line.dryRun
  if (!isPlain) return new Conditional(line, one, said)
  return line.replayed ? new Replay(line, one, said) : new Write(line, one, said)
}

/** The record that a call is about: the path names it, or else the answer of a write. */
function recordOf({ method, path, answer }: RecordedCall, one: (text: string) => string): string | null {
  const [, records, named] = /^\/v1\/(\w+)(?:\/(\d+)|\/by\/.*)?$/.exec(path) ?? []
  const id = named ?? (method === 'GET' ? undefined : (answer as Json)?.data?.id)
  return records === undefined || id === undefined || id === null ? null : one(`${records}/${id}`)
}

/** Returns the version that an entity tag names; null where it names none. */
export function versionOf(etag: string | undefined): number | null {
  const digits = /^"(\d+)-/.exec(etag ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

export function pushTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/** Reads a recorded history from its file, and lines that are not in it yet. */
export async function readHistory(path: string, more: readonly Line[] = []): Promise<History> {
  const { take, history } = createHistory()
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }))
    if (line !== '') take(JSON.parse(line) as Line)
  for (const line of more) take(line)
  return history
}

/** Whether a call was answered with success. */
export const hasSucceeded = ({ status }: Pick<Call, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** Yields the calls that succeeded, with their company and the changes that the feed tells of their write. */
export function* listSuccesses({ companies }: History): Generator<Success> {
  for (const company of companies)
    for (const call of company.calls)
      if (hasSucceeded(call))
        yield { company, call, made: (call.write === undefined ? undefined : company.byWrite.get(call.write)) ?? [] }
}

type Success = { company: CompanyHistory; call: Call; made: readonly Event[] }

/** Whether a record is gone after an event of it. */
export const isEnd = ({ action }: Event): boolean => action === 'deleted' || action === 'erased'
