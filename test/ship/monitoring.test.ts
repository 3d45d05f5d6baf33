import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type ServiceMetrics, startMetrics } from '#server/metrics.ts'
import { type MetricLabels, namesIn, unknownIn } from './promql.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

let metrics: ServiceMetrics
/** The metrics that the service shows, with their labels. */
const known: MetricLabels = new Map()

beforeAll(() => {
  const register = vi.spyOn(Registry.prototype, 'registerMetric')
  const database = {
    load: () => ({ total: 0, idle: 0, waiting: 0 }),
    read: async () => [],
    answers: async () => [],
    onConflict: () => undefined,
  }
  metrics = startMetrics(database as never, async () => ({ lastAt: null, failing: [] }))
  type Metric = { name: string; labelNames: string[]; type?: string }
  for (const [metric] of register.mock.calls as unknown as [Metric & { buckets?: unknown }][]) {
    known.set(metric.name, new Set(metric.labelNames))
    if (!('buckets' in metric || 'percentiles' in metric)) continue
    for (const end of ['_bucket', '_sum', '_count']) known.set(metric.name + end, new Set([...metric.labelNames, 'le']))
  }
  register.mockRestore()
})

const expressionsIn = (file: string): string[] =>
  (parse(read(file)).groups ?? []).flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr))

describe('What stands in deploy/monitoring', () => {
  const files = globSync('deploy/monitoring/*.yaml', { cwd: root })

  test('names metrics and labels that the service shows.', () => {
    expect(files).toContain('deploy/monitoring/prometheus.yaml')
    for (const file of files)
      for (const expression of expressionsIn(file)) expect(unknownIn(expression, known), expression).toEqual([])
  })

  test('reads the metrics at the address of the compose file.', () => {
    const { scrape_configs: jobs } = parse(read('deploy/monitoring/prometheus.yaml'))
    const { services } = parse(read('deploy/compose.yaml'))
    expect(jobs[0].static_configs[0].targets).toEqual([services.service.environment.METRICS_ADDRESS])
  })

  const promtool = (...words: string[]) => spawnSync('promtool', words, { cwd: root, encoding: 'utf8' })
  test('is what promtool takes, and so is what the service shows.', async ({ skip }) => {
    skip(promtool('--version').status !== 0, 'promtool is not on this machine.')
    const files = globSync('deploy/monitoring/*.yaml', { cwd: root })
    for (const file of files) {
      const kind = file.endsWith('/prometheus.yaml') ? 'config' : 'rules'
      expect(promtool('check', kind, file), file).toMatchObject({ status: 0 })
    }
    const input = await metrics.text()
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, ''])
  })
})

test('No gauge counts beside another one of the same name with "_total".', async () => {
  const text = await metrics.text()
  expect(text).toMatch(/^# TYPE nodejs_active_handles gauge$/m)
  expect([...text.matchAll(/^# TYPE (\S+_total) gauge$/gm)].map(([, name]) => name)).toEqual([])
})

describe('An expression', () => {
  test.each<[string, string[], string[]]>([
    ['up{job="plumbline"} == 0', ['up'], ['job']],
    [
      'sum by (route) (rate(plumbline_request_seconds_count{status=~"5.."}[5m])) > 0.01',
      ['plumbline_request_seconds_count'],
      ['route', 'status'],
    ],
    ['time() - a_b > 2 * 86400 and on (instance) c_d offset 5m', ['a_b', 'c_d'], ['instance']],
    ['histogram_quantile(0.99, sum(rate(x_bucket[5m])) by (le, route))', ['x_bucket'], ['le', 'route']],
    ['a_total unless ignoring (state) b_total{state!="it is } \\" here"}', ['a_total', 'b_total'], ['state']],
    ['absent(up) or vector(1)', ['up'], []],
  ])('%s is read.', (expression, names, labels) => {
    const found = namesIn(expression)
    expect([...found.metrics].toSorted()).toEqual(names.toSorted())
    expect([...found.labels].toSorted()).toEqual(labels.toSorted())
  })

  test.each([
    ['rate(plumbline_requests_total[5m])', ['plumbline_requests_total']],
    ['plumbline_request_seconds_count{state="x"}', ['state']],
    ['sum by (company) (plumbline_processes)', ['company']],
    ['up == 0 or plumbline_processes < 1', []],
  ])('%s: %o is not known.', (expression, unknown) => {
    expect(unknownIn(expression, known)).toEqual(unknown)
  })
})
