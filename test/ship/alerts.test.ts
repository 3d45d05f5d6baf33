import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '#server/config/config.ts'
import { startMetrics } from '#server/metrics.ts'
import type { Database } from '#server/store/database.ts'
import { leaseSeconds } from '#server/webhooks/lease.ts'
import { turnsSize } from '#server/webhooks/turns.ts'

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { [name: string]: string } }

const { groups } = parse(readFileSync(join(import.meta.dirname, '../../deploy/monitoring/alerts.yaml'), 'utf8')) as {
  groups: { rules: Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)

/** One whose database never answers. */
const away = async (): Promise<never> => Promise.reject(new Error('away'))
const database = {
  read: away,
  answers: away,
  load: () => ({ total: 0, idle: 0, waiting: 0 }),
  onConflict: () => undefined,
} as unknown as Database

test('Every alert has a name of its own, a severity and a sentence that says what to do.', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, labels, annotations } of rules) {
    expect(['warning', 'critical'], alert).toContain(labels.severity)
    for (const name of ['summary', 'description']) expect(annotations[name], alert).toMatch(/^[A-Z].*\.$/)
  }
})

test('Alerts ask for metrics that there are, and the database is down where it does not answer.', async () => {
  const text = await startMetrics(database, async () => ({ lastAt: null, failing: [] })).text()
  const shown = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const asked = rules
    .flatMap(({ expr }) => expr.match(/plumbline_\w+/g) ?? [])
    .map((name) => name.replace(/_(?:bucket|count|sum)$/, ''))
  expect(asked.filter((name) => !shown.has(name))).toEqual([])
  expect(text).toMatch(/^plumbline_database_up 0$/m)
  expect(text).toMatch(/^plumbline_database_starts_total 0$/m)
})

test('Turns of webhooks have an alert for their number, for the age of the oldest, and for each that was ended.', () => {
  const askFor = (name: string) => rules.filter(({ expr }) => new RegExp(`\\b${name}\\b`).test(expr))
  for (const name of ['turns', 'turn_oldest_seconds', 'turns_ended_total'])
    expect(askFor(`plumbline_webhook_${name}`), name).toHaveLength(1)
  const limitOf = (name: string) => Number(askFor(`plumbline_webhook_${name}`)[0]?.expr.match(/> ([\d.]+)$/)?.[1])
  // Fewer than a process can have, or it would never tell.
  expect(limitOf('turns')).toBeLessThan(turnsSize.limit)
  // Longer than a turn whose receiver is slow, and shorter than one that is ended.
  const config = readConfig({})
  expect(limitOf('turn_oldest_seconds')).toBeGreaterThan((2 * config.webhookTimeout) / 1000)
  expect(limitOf('turn_oldest_seconds')).toBeLessThan(leaseSeconds({ config }))
})
