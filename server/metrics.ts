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
import { horizon } from './service/changes.ts'
import { howWebhooksDo } from './service/webhooks.ts'
import type { Database } from './store/database.ts'

/** What /metrics shows the operator. No company, token or path with an id is a label. */
export type ServiceMetrics = Metrics & {
  callsLost(count: number): void
  /** One message to a webhook, and whether its receiver took it. */
  webhookTried(arrived: boolean): void
  /** What `text` says, for another process. */
  values(): Promise<Values>
}

export type Values = MetricObjectWithValues<MetricValue<string>>[]

/** What several processes have to say, as of one: counts are summed, and what has no sum is averaged or left out. */
export const aggregate = (all: readonly Values[]): Registry => AggregatorRegistry.aggregate([...all])

/** What is known of backups and of the archive; null where none are asked for. */
export type BackupFacts = { lastAt: Date | null; failing: readonly string[] }

export function startMetrics(database: Database, backups: (() => Promise<BackupFacts>) | null = null): ServiceMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
    'Requests refused as overloaded, before anything was done for them.',
    'sort',
  )
  const limit = gauge('plumbline_requests_limit', 'Requests that are let in at once at the moment.', 'sort')
  const connections = gauge('plumbline_connections', 'Connections of callers that are open.')
  const cut = counter(
    'plumbline_connections_cut_total',
    'Connections of callers closed by the service: idle when room was needed, answer unread, or too many.',
    'why',
  )
  if (backups) showBackups(registers, backups)
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
      // A database that does not answer is told of elsewhere.
      const held = await horizon(database).catch(() => undefined)
      if (held) this.set({ holder: held.program ?? '' }, held.seconds)
    },
  })
  showWebhooks(registers, database)
  const tried = counter(
    'plumbline_webhook_attempts_total',
    'Messages sent to webhooks, by whether the receiver took them.',
    'outcome',
  )
  const waiting = gauge('plumbline_changes_waiting', 'Callers of /v1/changes that wait for a change.')
  return {
    answered: (route, status, seconds) => requests.observe({ route, status }, seconds),
    callsLost: (count) => lost.inc(count),
    shed: (sort) => shed.inc({ sort }),
    connected: (count) => connections.set(count),
    cut: (why) => cut.inc({ why }),
    admitting: (sort, most) => limit.set({ sort }, most),
    waiting: (count) => waiting.set(count),
    webhookTried: (arrived) => tried.inc({ outcome: arrived ? 'arrived' : 'failed' }),
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  }
}

/** How the webhooks of all companies do. A database that does not answer is told of elsewhere. */
function showWebhooks(registers: Registry[], database: Database): void {
  const figures = () => howWebhooksDo(database).catch(() => undefined)
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

/** All processes see the same, so together they say what each does. */
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
    name: 'plumbline_backup_failing',
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
