import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Metrics } from './http/app.ts'
import { type Job, jobs } from './jobs/in-background.ts'
import { howPreviewsDo } from './service/agent-previews.ts'
import { horizon } from './service/changes.ts'
import { howWebhooksDo } from './service/webhooks.ts'
import type { Database } from './store/database.ts'

/** The metrics of the operator. No label contains a company, a token or an id. */
export type ServiceMetrics = Metrics & {
  callsLost(count: number): void
  /** Counts a failed run of a background job. */
  jobFailed(job: Job): void
  /** Counts a message to a webhook, by whether it arrived. */
  webhookTried(arrived: boolean): void
  /** Counts a restart of PostgreSQL by this process. */
  databaseStarted(): void
  /** Sets the free bytes on the disk of a watched folder. */
  diskFree(folder: string, bytes: number): void
  /** Counts a transaction with this many creates or updates. */
  groupLeft(rows: number): void
  /** Counts rows of such a transaction that were written again, each in its own. */
  rowsRedone(rows: number): void
  /** Returns the values of `text`, for another process. */
  values(): Promise<Values>
  /** Returns the values that one process counts for all. */
  sharedValues(): Promise<Values>
}

export type Values = MetricObjectWithValues<MetricValue<string>>[]

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
): ServiceMetrics {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers })
  const requests = new Histogram({
    name: 'plumbline_request_seconds',
    help: 'Time from the first byte of a request to its answer, by route and status.',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const lost = counter(
    'plumbline_calls_lost_total',
    'Calls that could not be noted because the database was away for too long.',
  )
  const shed = counter(
    'plumbline_requests_turned_away_total',
    'Requests refused before anything was done for them, by what there was no room for.',
    'sort',
  )
  const limit = gauge('plumbline_requests_limit', 'Requests that are let in at once at the moment.', 'sort')
  const connections = gauge('plumbline_connections', 'Connections of callers that are open.')
  const cut = counter(
    'plumbline_connections_cut_total',
    'Connections of callers closed by the service: idle when room was needed, answer unread, or too many.',
    'why',
  )
  const jobFailures = counter(jobFailuresName, 'Runs of work in the background that failed; the log says why.', 'job')
  for (const job of jobs) jobFailures.inc({ job }, 0)
  const conflicts = counter(
    'plumbline_conflicts_total',
    'Transactions that were run again because they met another one, by the code of the conflict.',
    'code',
  )
  database.onConflict((code) => conflicts.inc({ code }))
  const groupRows = new Histogram({
    name: 'plumbline_write_group_rows',
    help: 'Creates and updates that were sent to the database as one transaction.',
    buckets: [1, 2, 4, 8, 16, 32],
    registers,
  })
  const redone = counter(
    'plumbline_write_group_redone_total',
    'Creates and updates that went by themselves after a transaction with others did not do them.',
  )
  if (backups) showBackups(registers, backups)
  showDatabase(registers, database)
  const starts = counter(
    startsName,
    'How often the service has started the bundled PostgreSQL again because it was gone.',
  )
  const free = new Gauge({
    name: freeName,
    help: 'Bytes that are free on the disk of the bundled database (data), of the archive, of the backups and of temporary files.',
    labelNames: ['folder'],
    aggregator: 'min',
    registers,
  })
  gauge('plumbline_processes', 'Processes that serve.').set(1)
  new Gauge({
    name: 'plumbline_database_connections',
    help: 'Connections to the database: open, idle, and requests that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = database.load()
      this.set({ state: 'open' }, total)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Gauge({
    name: 'plumbline_changes_held_seconds',
    help: 'How long the oldest open transaction on the database server that has written holds back /v1/changes.',
    labelNames: ['holder'],
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      // Another metric reports a database that does not answer.
      const held = await withinDeadline(horizon(database))
      if (held) this.set({ holder: held.program ?? '' }, held.seconds)
    },
  })
  showWebhooks(registers, database)
  showPreviews(registers, database)
  const tried = counter(
    'plumbline_webhook_attempts_total',
    'Messages sent to webhooks, by whether the receiver took them.',
    'outcome',
  )
  const waiting = gauge('plumbline_changes_waiting', 'Callers of /v1/changes that wait for a change.')
  return {
    answered: (route, status, seconds) => requests.observe({ route, status }, seconds),
    callsLost: (count) => lost.inc(count),
    jobFailed: (job) => jobFailures.inc({ job }),
    shed: (sort) => shed.inc({ sort }),
    connected: (count) => connections.set(count),
    cut: (why) => cut.inc({ why }),
    admitting: (sort, most) => limit.set({ sort }, most),
    waiting: (count) => waiting.set(count),
    groupLeft: (rows) => groupRows.observe(rows),
    rowsRedone: (rows) => redone.inc(rows),
    webhookTried: (arrived) => tried.inc({ outcome: arrived ? 'arrived' : 'failed' }),
    databaseStarted: () => starts.inc(),
    diskFree: (folder, bytes) => free.set({ folder }, bytes),
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    sharedValues: async () => (await registry.getMetricsAsJSON()).filter(({ name }) => sharedNames.includes(name)),
    contentType: registry.contentType,
  }
}

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

/** Waits for the database. Returns undefined if it does not answer in time, so that a scrape works without it. */
function withinDeadline<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), answerMsMax)
  })
  return Promise.race([answer.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

function showDatabase(registers: Registry[], database: Database): void {
  new Gauge({
    name: 'plumbline_database_up',
    help: '1 while the database answers; 0 where one of the processes gets no answer.',
    aggregator: 'min',
    registers,
    async collect() {
      this.set((await withinDeadline(database.answers())) === undefined ? 0 : 1)
    },
  })
}

/** Registers the metrics of all webhooks. Another metric reports a database that does not answer. */
function showWebhooks(registers: Registry[], database: Database): void {
  const figures = () => withinDeadline(howWebhooksDo(database))
  new Gauge({
    name: 'plumbline_webhooks',
    help: 'Webhooks: those that do well, fail, were given up by the service, are disabled by hand, or need a new start after the database was restored.',
    labelNames: ['state'],
    aggregator: 'max',
    registers,
    async collect() {
      const found = await figures()
      if (!found) return
      const { failing_seconds: _, ...counts } = found
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'plumbline_webhook_failing_seconds',
    help: 'How long the webhook that has failed for longest has taken nothing.',
    aggregator: 'max',
    registers,
    async collect() {
      const found = await figures()
      if (found) this.set(found.failing_seconds)
    },
  })
}

/** Registers the metrics of all previews. Another metric reports a database that does not answer. */
function showPreviews(registers: Registry[], database: Database): void {
  new Gauge({
    name: 'plumbline_agent_previews',
    help: 'Previews of agents that can still be applied: open, waiting for a person, approved.',
    labelNames: ['state'],
    aggregator: 'max',
    registers,
    async collect() {
      const counts = await withinDeadline(howPreviewsDo(database))
      for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count)
    },
  })
}

/** Registers the metrics of backups. All processes have the same values, so their maximum is that value. */
function showBackups(registers: Registry[], facts: () => Promise<BackupFacts>): void {
  new Gauge({
    name: 'plumbline_backup_last_timestamp_seconds',
    help: 'When the newest backup of the service was begun; 0 where there is none.',
    aggregator: 'max',
    registers,
    async collect() {
      this.set(((await facts()).lastAt?.getTime() ?? 0) / 1000)
    },
  })
  new Gauge({
    name: backupFailingName,
    help: '1 while the last backup failed, or while the log of the database is not archived.',
    labelNames: ['work'],
    aggregator: 'max',
    registers,
    async collect() {
      const { failing } = await facts()
      for (const work of ['backup', 'archive']) this.set({ work }, failing.includes(work) ? 1 : 0)
    },
  })
}
