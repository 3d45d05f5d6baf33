import { readInteger } from '#derive/parameters.ts'
import { type UseRow, useByDay } from '#sql/system/call-list.ts'
import { outcomes } from '#sql/system/calls.ts'
import type { World } from '../http/world.ts'
import { showCompany } from '../service/company.ts'
import type { Asked, ConsoleRoute } from './asked.ts'
import { readParameters } from './paging.ts'
import { ok } from './reply.ts'

/** How much of the API and of the plan is used. */
export const usageRoutes: ConsoleRoute[] = [
  { id: 'usage', method: 'GET', path: '/console/usage', needs: 'API_MANAGE', answer: usage },
]

const daysDefault = 30
const daysMax = 90

async function usage(asked: Asked) {
  const pairs = readParameters(asked, ['days'])
  const days = readInteger('days', pairs.get('days'), 1, daysMax) ?? daysDefault
  const { companyId } = asked.session().actor
  const [rows, company] = await asked.world.database.transaction((transaction) =>
    Promise.all([transaction.run<UseRow>(useByDay(companyId, days)), showCompany(transaction, companyId)]),
  )
  return ok({ days: lastDays(asked.world, days).map((day) => ofDay(day, rows)), plan: company.usage })
}

/** `by_resource` tells what counted, `by_outcome` everything that was noted. */
function ofDay(day: string, rows: readonly UseRow[]) {
  const own = rows.filter((row) => row.day === day)
  const sum = (of: readonly UseRow[], what: 'calls' | 'counted') => of.reduce((total, row) => total + row[what], 0)
  const resources = [...new Set(own.map(({ resource }) => resource))].toSorted()
  return {
    day,
    counted: sum(own, 'counted'),
    by_resource: Object.fromEntries(
      resources.map((resource) => [
        resource,
        sum(
          own.filter((row) => row.resource === resource),
          'counted',
        ),
      ]),
    ),
    by_outcome: Object.fromEntries(
      outcomes.map((outcome) => [
        outcome,
        sum(
          own.filter((row) => row.outcome === outcome),
          'calls',
        ),
      ]),
    ),
  }
}

/** Days up to today, the oldest first; one without a call is a day too. */
function lastDays({ clock }: World, count: number): string[] {
  const today = clock.now().getTime()
  return Array.from({ length: count }, (_, index) =>
    new Date(today - (count - 1 - index) * 24 * 3600 * 1000).toISOString().slice(0, 10),
  )
}
