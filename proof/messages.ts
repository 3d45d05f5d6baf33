import { check, countCalls, type Violation } from './check.ts'
import { readHistory } from './history.ts'
import { pause } from './operations.ts'
import { type MessageFault, messageFaults, openWay, type Way } from './proxy.ts'
import { openRecorder, type RecordedRequest, type RecordedResponse, type Recorder } from './recorder.ts'
import { createCompany, startBeside, startService } from './service.ts'

/** One message of one operation that failed in one way, and what its caller heard. */
export type Trial = {
  operation: string
  isKeyed: boolean
  message: number
  fault: MessageFault
  /** Status and code of the first answer. */
  heard: string
  /** What was not as promised. */
  wrong: string | null
}

type MessagesRequest = {
  file: string
  checkout?: string
  /** Operations, faults and keys to try; all if not given. The short form lets the last message of each fail alone. */
  operations?: readonly string[]
  faults?: readonly MessageFault[]
  keyed?: readonly boolean[]
  isShort?: boolean
  onTrial?: (trial: Trial) => void
  /** Ends the run when it is aborted, with what there is. */
  signal?: AbortSignal
}

export type MessagesRun = {
  /** Calls that were checked. */
  calls: number
  trials: Trial[]
  violations: Violation[]
}

type Parts = Omit<RecordedRequest, 'operation' | 'company' | 'token'>
type Caller = {
  send(parts: Parts): Promise<RecordedResponse>
  next(what: string): string
}
/** Prepares what the call needs and returns the call. */
type CallFactory = (caller: Caller) => Promise<Parts>

const statementTimeoutMs = 300
const connectTimeoutMs = 800
/** `D` of docs/reliability/liveness.md, and what a busy machine adds. */
const answeredMs = connectTimeoutMs + statementTimeoutMs + 2000 + 4000

async function client({ send, next }: Caller): Promise<number> {
  const { answer } = await send({
    method: 'POST',
    path: '/v1/clients',
    body: { name: next('client') },
    key: next('key'),
  })
  return answer.data.id
}

const update = async (caller: Caller): Promise<Parts> => ({
  ...{ method: 'PATCH', path: `/v1/clients/${await client(caller)}`, body: { notes: caller.next('notes') } },
})

/** Every way of writing over the API. */
const operations: { readonly [name: string]: CallFactory } = {
  create: async ({ next }) => ({ method: 'POST', path: '/v1/clients', body: { name: next('client') } }),
  'create within the plan': async ({ next }) => ({
    method: 'POST',
    path: '/v1/projects',
    body: { name: next('project') },
  }),
  update,
  'update of a known version': async (caller) => {
    const parts = await update(caller)
    const { etag } = await caller.send({ method: 'GET', path: parts.path })
    return { ...parts, ifMatch: etag as string }
  },
  'planned update': async (caller) => {
    const parts = await update(caller)
    const { answer } = await caller.send({ ...parts, dryRun: true })
    return { ...parts, ifPlan: `"${answer.plan.hash}"` }
  },
  'upsert that creates': async ({ next }) => ({
    ...{ method: 'PUT', path: `/v1/clients/by/external_ref/${next('ref')}`, body: { name: next('client') } },
  }),
  'upsert that updates': async ({ send, next }) => {
    const path = `/v1/clients/by/external_ref/${next('ref')}`
    await send({ method: 'PUT', path, body: { name: next('client') }, key: next('key') })
    return { method: 'PUT', path, body: { notes: next('notes') } }
  },
  delete: async (caller) => ({ method: 'DELETE', path: `/v1/clients/${await client(caller)}` }),
  'delete with references': async (caller) => {
    const { send, next } = caller
    const id = (await send({ method: 'POST', path: '/v1/workers', body: { name: next('worker') }, key: next('key') }))
      .answer.data.id
    await send({
      method: 'POST',
      path: '/v1/projects',
      body: { name: next('project'), manager_id: id },
      key: next('key'),
    })
    return { method: 'DELETE', path: `/v1/workers/${id}` }
  },
  'batch all': async (caller) => batch('all', caller),
  'batch each': async (caller) => batch('each', caller),
  undo: async (caller) => {
    const { send, next } = caller
    const { write } = await send({ ...(await update(caller)), key: next('key') })
    return { method: 'POST', path: `/v1/writes/${write}/undo` }
  },
  'undo of a create': async ({ send, next }) => {
    const body = { name: next('client') }
    const { write } = await send({ method: 'POST', path: '/v1/clients', body, key: next('key') })
    return { method: 'POST', path: `/v1/writes/${write}/undo` }
  },
  'undo of a delete': async (caller) => {
    const { send, next } = caller
    const path = `/v1/clients/${await client(caller)}`
    const { write } = await send({ method: 'DELETE', path, key: next('key') })
    return { method: 'POST', path: `/v1/writes/${write}/undo` }
  },
}

async function batch(mode: string, caller: Caller): Promise<Parts> {
  const id = await client(caller)
  const create = () => ({ op: 'create', records: 'clients', body: { name: caller.next('client') } })
  const change = { op: 'update', records: 'clients', id, body: { notes: caller.next('notes') } }
  return { method: 'POST', path: '/v1/batch', body: { mode, operations: [create(), change, create()] } }
}

export const messageOperations: readonly string[] = Object.keys(operations)

/** Lets each message of each operation fail in each way, with a key and without, and checks all that was heard. */
export async function failMessages(asked: MessagesRequest): Promise<MessagesRun> {
  const { file, checkout, faults = messageFaults, keyed = [true, false], isShort = false, onTrial, signal } = asked
  const first = await startService(checkout)
  let way: Way | undefined
  let recorder: Recorder | undefined
  let beside: { url: string; close(): Promise<void> } | undefined
  const trials: Trial[] = []
  try {
    const { token } = await createCompany(first.give)
    beside = await startBeside(
      first,
      async (met) => {
        way = await openWay(met)
        return way.url
      },
      { STATEMENT_TIMEOUT_MS: String(statementTimeoutMs), CONNECT_TIMEOUT_MS: String(connectTimeoutMs) },
    )
    recorder = openRecorder(beside.url, file)
    const bench = createBench(recorder, way as unknown as Way, token)
    for (const operation of asked.operations ?? messageOperations)
      for (const isKeyed of keyed) {
        if (signal?.aborted) break
        const clean = await bench.tryOut(operation, isKeyed, undefined)
        const numbers = Array.from({ length: clean.messages }, (_, index) => index + 1)
        for (const message of isShort ? numbers.slice(-1) : numbers)
          for (const fault of faults) {
            if (signal?.aborted) break
            const { heard, wrong } = await bench.tryOut(operation, isKeyed, {
              number: message,
              is: fault,
              events: clean.events,
            })
            const trial = { operation, isKeyed, message, fault, heard, wrong }
            trials.push(trial)
            onTrial?.(trial)
          }
      }
    await bench.hearAll()
  } finally {
    await beside?.close()
    await way?.close()
    await recorder?.close()
    await first.close()
  }
  const history = await readHistory(file)
  return { calls: countCalls(history), trials, violations: check(history) }
}

type FailingMessage = { number: number; is: MessageFault; events: number }

function createBench(recorder: Recorder, way: Way, text: string) {
  let made = 0
  const next = (what: string): string => `${what}-${made++}`
  const send = (operation: string, parts: Parts): Promise<RecordedResponse> =>
    recorder.send({ ...parts, operation, company: 'a', token: { name: 'a-0', text } })
  const isOpen = ({ status, answer }: RecordedResponse): boolean =>
    status === null || status >= 500 || answer?.code === 'idempotency_in_progress'
  /** Sends it until it has a result. Only for calls with a key, and reads. */
  const settle = async (operation: string, parts: Parts): Promise<RecordedResponse> => {
    for (let tries = 0; ; tries++) {
      const heard = await send(operation, parts)
      if (!isOpen(heard)) return heard
      if (tries > 100) throw new Error(`${parts.method} ${parts.path} has no result: ${JSON.stringify(heard)}`)
      await pause(50)
    }
  }
  let cursor = ''
  /** The changes since the last time, once all before this moment are told; without those of its own marker. */
  const hearChanges = async (): Promise<number> => {
    const body = { name: next('marker') }
    const { write } = await settle('marker', { method: 'POST', path: '/v1/clients', body, key: next('key') })
    let isTold = false
    for (let count = 0, tries = 0; tries < 500; tries++) {
      const { answer } = await settle('feed', { method: 'GET', path: `/v1/changes?limit=100${cursor}` })
      cursor = `&after=${answer.meta.next}`
      for (const event of answer.data) {
        recorder.write({ kind: 'feed', company: 'a', event: { ...event, record: null } })
        if (event.write_id === write) isTold = true
        else count++
      }
      // What was held back may have its place behind the marker.
      if (isTold && answer.data.length === 0) return count
      if (answer.data.length === 0) await pause(20)
    }
    throw new Error('the feed does not tell what was written')
  }

  return {
    async tryOut(operation: string, isKeyed: boolean, failing: FailingMessage | undefined) {
      const prepare = operations[operation] as CallFactory
      const caller: Caller = { next, send: (parts) => settle('prepare', parts) }
      const parts = { ...(await prepare(caller)), ...(isKeyed ? { key: next('key') } : {}) }
      await hearChanges()
      way.watch(failing)
      const since = performance.now()
      const heard = await send(operation, parts)
      const tookMs = performance.now() - since
      const messages = way.counted()
      const hasFailed = way.hasFailed()
      way.watch()
      way.heal()
      const code = heard.answer?.code ?? ''
      const settled = isKeyed && isOpen(heard) ? await settle(operation, parts) : heard
      const events = await hearChanges()
      const isDone = settled.status !== null && settled.status < 300
      const wrong = !failing
        ? isDone
          ? null
          : `is answered ${settled.status} without a fault`
        : !hasFailed
          ? 'the message did not come'
          : tookMs > answeredMs
            ? `answered after ${Math.round(tookMs)} ms`
            : isKeyed && !isDone
              ? `the retry is answered ${settled.status} ${settled.answer?.code}`
              : isDone && events !== failing.events
                ? `${events} changes instead of ${failing.events}`
                : code === 'unavailable' && !isKeyed && events > 0
                  ? `unavailable, and ${events} changes`
                  : events !== 0 && events !== failing.events && operation !== 'batch each'
                    ? `${events} of ${failing.events} changes`
                    : null
      if (!failing && wrong !== null) throw new Error(`${operation} ${wrong}: ${JSON.stringify(settled.answer)}`)
      return { heard: `${heard.status ?? 'none'} ${code}`.trim(), wrong, messages, events }
    },
    /** Hears what the lists say in the end. */
    async hearAll() {
      for (const records of ['clients', 'workers', 'projects'])
        for (let after = 0; ; ) {
          const { answer } = await settle('end', { method: 'GET', path: `/v1/${records}?limit=100&after_id=${after}` })
          for (const record of answer.data) recorder.write({ kind: 'listed', company: 'a', records, record })
          if (answer.data.length < 100) break
          after = answer.data.at(-1).id
        }
    },
  }
}

/** A table of operations and messages: what was heard for each of the faults, with a key and without. */
export function tableOf(trials: readonly Trial[]): string[] {
  const rows = new Map<string, Trial[]>()
  for (const trial of trials) {
    const name = `${trial.operation}${trial.isKeyed ? '' : ', no key'}`
    rows.set(name, [...(rows.get(name) ?? []), trial])
  }
  const most = Math.max(0, ...trials.map(({ message }) => message))
  const numbers = Array.from({ length: most }, (_, index) => index + 1)
  const cell = (list: readonly Trial[], number: number): string => {
    const here = list.filter(({ message }) => message === number)
    return here.map(({ heard, wrong }) => (wrong === null ? heard.replace(/^503 /, '') : 'WRONG')).join(', ') || '–'
  }
  return [
    `| operation | ${numbers.map((number) => `message ${number}`).join(' | ')} |`,
    `|---|${numbers.map(() => '---|').join('')}`,
    ...[...rows].map(([name, list]) => `| ${name} | ${numbers.map((number) => cell(list, number)).join(' | ')} |`),
  ]
}
