import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client'
import { type Job, jobs } from './jobs/in-background.ts'
import { howPreviewsDo } from './service/agent-previews.ts'
import { horizon } from './service/changes.ts'
import { howWebhooksDo } from './service/webhooks.ts'
import type { Database } from './store/database.ts'
import { atMost } from './wait/wait.ts'

/** The metrics of the operator. No label contains a company, a token or an id. */
export type ServiceMetrics = ReturnType<typeof startMetrics>

export type Values = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Returns the values of several processes as one. Counts are summed; others are averaged or left out. */
export const aggregate = (all: readonly Values[]): Registry => AggregatorRegistry.aggregate([...all])

/** The facts about backups and the archive. `lastAt` is null if there is no backup. */
export type BackupFacts = { lastAt: Date | null; failing: readonly string[] }

export type StartMetrics = (database: Database, backups: (() => Promise<BackupFacts>) | null) => ServiceMetrics

/** Starts the metrics in `registry`. The default one also has Node's own. */
export function startMetrics(
  database: Database,
  backups: (() => Promise<BackupFacts>) | null = null,
  registry: Registry = registryOfProcess(),
) {
  const registers = [registry]
  const { count, countBy, set, setBy } = creatorsIn(registers)
  const requests = new Histogram({
    name: 'plumbline_request_seconds',
    help: 'Time from the first byte of a request to its answer, by route and status.',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const groupRows = new Histogram({
    name: 'plumbline_write_group_rows',
    help: 'Creates and updates that were sent to the database as one transaction.',
    buckets: [1, 2, 4, 8, 16, 32],
    registers,
  })
  const tried = countBy<'arrived' | 'failed'>(
    'outcome',
    'plumbline_webhook_attempts_total',
    'Messages sent to webhooks, by whether the receiver took them.',
  )
  const turns = set(
    'plumbline_webhook_turns',
    'Webhooks to which requests are under way: 400 a process at most, of one company 20.',
  )
  const oldestTurn = set(
    'plumbline_webhook_turn_oldest_seconds',
    'How long the webhook to which a process sends for longest has had its turn; 0 if there is none.',
    'max',
  )
  const metrics = {
    answered: (route: string, status: number, seconds: number): void => requests.observe({ route, status }, seconds),
    callsLost: count(
      'plumbline_calls_lost_total',
      'Calls that could not be noted because the database was away for too long.',
    ),
    shed: countBy(
      'sort',
      'plumbline_requests_turned_away_total',
      'Requests refused before anything was done for them, by what there was no room for.',
    ),
    admitting: setBy('sort', 'plumbline_requests_limit', 'Requests that are let in at once at the moment.'),
    connected: set('plumbline_connections', 'Connections of callers that are open.'),
    cut: countBy<'idle' | 'unread' | 'full'>(
      'why',
      'plumbline_connections_cut_total',
      'Connections of callers closed by the service: idle when room was needed, answer unread, or too many.',
    ),
    jobFailed: countBy<Job>('job', jobFailuresName, 'Runs of work in the background that failed; the log says why.'),
    groupLeft: (rows: number): void => groupRows.observe(rows),
    rowsRedone: count(
      'plumbline_write_group_redone_total',
      'Creates and updates that went by themselves after a transaction with others did not do them.',
    ),
    databaseStarted: count(
      startsName,
      'How often the service has started the bundled PostgreSQL again because it was gone.',
    ),
    diskFree: setBy(
      'folder',
      freeName,
      'Bytes that are free on the disk of the bundled database (data), of the archive, of the backups and of temporary files.',
      'min',
    ),
    webhookTurns(count: number, oldestSeconds: number): void {
      turns(count)
      oldestTurn(oldestSeconds)
    },
    webhookTurnEnded: count(
      'plumbline_webhook_turns_ended_total',
      'Turns of webhooks that outlived their claims and were ended; the log says of which webhook.',
    ),
    webhookTried: (arrived: boolean): void => tried(arrived ? 'arrived' : 'failed'),
    waiting: set('plumbline_changes_waiting', 'Callers of /v1/changes that wait for a change.'),
    text: (): Promise<string> => registry.metrics(),
    /** Returns the values of `text`, for another process. */
    values: (): Promise<Values> => registry.getMetricsAsJSON(),
    /** Returns the values that one process counts for all. */
    sharedValues: async (): Promise<Values> =>
      (await registry.getMetricsAsJSON()).filter(({ name }) => sharedNames.includes(name)),
    contentType: registry.contentType as string,
  }
  for (const job of jobs) metrics.jobFailed(job, 0)
  database.onConflict(
    countBy(
      'code',
      'plumbline_conflicts_total',
      'Transactions that were run again because they met another one, by the code of the conflict.',
    ),
  )
  set('plumbline_processes', 'Processes that serve.')(1)
  for (const scraped of [...ofDatabase(database), ...(backups ? ofBackups(backups) : [])]) show(scraped, registers)
  return metrics
}

/** Returns functions that create a metric, and return the function that counts or sets its value, by a label or not. */
function creatorsIn(registers: Registry[]) {
  return {
    count(name: string, help: string) {
      const counter = new Counter({ name, help, registers })
      return (by = 1): void => counter.inc(by)
    },
    countBy<Value extends string>(label: string, name: string, help: string) {
      const counter = new Counter({ name, help, labelNames: [label], registers })
      return (value: Value, by = 1): void => counter.inc({ [label]: value }, by)
    },
    set(name: string, help: string, aggregator: Aggregator = 'sum') {
      const gauge = new Gauge({ name, help, aggregator, registers })
      return (value: number): void => gauge.set(value)
    },
    setBy(label: string, name: string, help: string, aggregator: Aggregator = 'sum') {
      const gauge = new Gauge({ name, help, labelNames: [label], aggregator, registers })
      return (value: string, amount: number): void => gauge.set({ [label]: value }, amount)
    },
  }
}

/**
 * A metric that is read with each scrape: one value, or one for each value of `label`. `read` returns undefined if the
 * last values stay.
 */
type ScrapedMetric = { name: string; help: string; label?: string; aggregator: Aggregator } & {
  read(): Figures | undefined | Promise<Figures | undefined>
}
type Figures = number | { readonly [value: string]: number }

function show({ label = '', read, ...metric }: ScrapedMetric, registers: Registry[]): void {
  new Gauge({
    ...{ ...metric, registers, labelNames: label === '' ? [] : [label] },
    async collect() {
      const figures = await read()
      if (typeof figures === 'number') this.set(figures)
      if (typeof figures !== 'object') return
      this.reset()
      for (const [value, figure] of Object.entries(figures)) this.set({ [label]: value }, figure)
    },
  })
}

const ofDatabase = (database: Database): ScrapedMetric[] => [
  {
    name: 'plumbline_database_up',
    help: '1 while the database answers; 0 where one of the processes gets no answer.',
    aggregator: 'min',
    read: async () => ((await withinDeadline(database.answers())) === undefined ? 0 : 1),
  },
  {
    name: 'plumbline_database_connections',
    help: 'Connections to the database: open, idle, and requests that wait for one.',
    label: 'state',
    aggregator: 'sum',
    read() {
      const { total, idle, waiting } = database.load()
      return { open: total, idle, waiting }
    },
  },
  {
    name: 'plumbline_changes_held_seconds',
    help: 'How long the oldest open transaction on the database server that has written holds back /v1/changes.',
    label: 'holder',
    aggregator: 'max',
    async read() {
      const held = await withinDeadline(horizon(database))
      return held ? { [held.program ?? '']: held.seconds } : {}
    },
  },
  {
    name: 'plumbline_webhooks',
    help: 'Webhooks: those that do well, fail, were given up by the service, are disabled by hand, or need a new start after the database was restored.',
    label: 'state',
    aggregator: 'max',
    async read() {
      const figures = await withinDeadline(howWebhooksDo(database))
      if (!figures) return undefined
      const { failing_seconds: _, ...counts } = figures
      return counts
    },
  },
  {
    name: 'plumbline_webhook_failing_seconds',
    help: 'How long the webhook that has failed for longest has taken nothing.',
    aggregator: 'max',
    read: async () => (await withinDeadline(howWebhooksDo(database)))?.failing_seconds,
  },
  {
    name: 'plumbline_agent_previews',
    help: 'Previews of agents that can still be applied: open, waiting for a person, approved.',
    label: 'state',
    aggregator: 'max',
    read: () => withinDeadline(howPreviewsDo(database)),
  },
]

/** The metrics of backups. All processes have the same values, so their maximum is that value. */
const ofBackups = (facts: () => Promise<BackupFacts>): ScrapedMetric[] => [
  {
    name: 'plumbline_backup_last_timestamp_seconds',
    help: 'When the newest backup of the service was begun; 0 where there is none.',
    aggregator: 'max',
    async read() {
      const known = await withinDeadline(facts())
      return known && (known.lastAt?.getTime() ?? 0) / 1000
    },
  },
  {
    name: backupFailingName,
    help: '1 while the last backup failed, or while the log of the database is not archived.',
    label: 'work',
    aggregator: 'max',
    async read() {
      const known = await withinDeadline(facts())
      if (!known) return undefined
      const { failing } = known
      return Object.fromEntries(['backup', 'archive'].map((work) => [work, failing.includes(work) ? 1 : 0]))
    },
  },
]

/** Returns a registry with Node's own metrics. */
function registryOfProcess(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // The metrics of the same name without "_total" have the same counts by kind, and a gauge is no total.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  return registry
}

const jobFailuresName = 'plumbline_job_failures_total'
const backupFailingName = 'plumbline_backup_failing'
const startsName = 'plumbline_database_starts_total'
const freeName = 'plumbline_disk_free_bytes'
const sharedNames = [jobFailuresName, backupFailingName, startsName, freeName]

/** Less than the time that one process waits for the values of another. */
const answerMsMax = 800

/**
 * Waits for the database or a disk. Returns undefined if it does not answer in time, so that a scrape works without it.
 * Another metric reports that.
 */
const withinDeadline = <T>(answer: Promise<T>): Promise<T | undefined> =>
  atMost(
    answerMsMax,
    answer.catch(() => undefined),
  )
