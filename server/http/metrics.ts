import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../store/database.ts'

/** What /metrics shows, for whoever operates the service. No company, token or path with an id is a label. */
export type Metrics = {
  answered(route: string, status: number, seconds: number): void
  callsLost(count: number): void
  text(): Promise<string>
  contentType: string
}

export function startMetrics(database: Database): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'plumbline_request_seconds',
    help: 'Time from the first byte of a request to its answer, by route and status.',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const lost = new Counter({
    name: 'plumbline_calls_lost_total',
    help: 'Calls that could not be noted because the database was away for too long.',
    registers,
  })
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
  return {
    answered: (route, status, seconds) => requests.observe({ route, status }, seconds),
    callsLost: (count) => lost.inc(count),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
