import type { UsageDay } from '#derive/console/responses.ts'
import { readInteger } from '#derive/query.ts'
import { addDays } from '#registry/fields/day.ts'
import { type UseRow, useByDay } from '#sql/system/call-list.ts'
import { outcomes } from '#sql/system/calls.ts'
import { isPlain } from '../config/exposure.ts'
import { amountsIn, setCompany, showCompany } from '../service/company.ts'
import { type App, type Handlers, revocation } from './operation-request.ts'

/** Settings, Company. Only the operator changes the plan and the add-ons, which the company pays for. */

export const company = {
  'company.fetch': ({ app, read }) =>
    read(async (transaction, companyId) => {
      const { is_demo: _, ...company } = await showCompany(transaction, companyId)
      const amounts = await amountsIn(transaction, companyId)
      return { data: { ...company, amounts_in: amounts, is_plain: isPlain(app.config) } }
    }),

  async 'company.update'({ body, change }) {
    const fields = await body()
    return change(async (transaction, { actor }) => {
      await setCompany(transaction, actor.companyId, { fields }, actor)
      const { is_demo: _, ...company } = await showCompany(transaction, actor.companyId)
      return { data: company }
    }, revocation)
  },

  async usage({ app, read, parameters }) {
    const days = readInteger('days', parameters.days, 1, daysMax) ?? daysDefault
    const [rows, company] = await read((transaction, companyId) =>
      Promise.all([transaction.run<UseRow>(useByDay(companyId, days)), showCompany(transaction, companyId)]),
    )
    return { data: { days: lastDays(app, days).map((day) => ofDay(day, rows)), plan: company.usage } }
  },
} satisfies Partial<Handlers>

const daysDefault = 30
const daysMax = 90

function ofDay(day: string, rows: readonly UseRow[]): UsageDay {
  const own = rows.filter((row) => row.day === day)
  const sum = (of: readonly UseRow[], what: 'calls' | 'counted') => of.reduce((total, row) => total + row[what], 0)
  const sums = (names: readonly string[], by: 'resource' | 'outcome') => {
    const of = (name: string) => own.filter((row) => row[by] === name)
    return Object.fromEntries(names.map((name) => [name, sum(of(name), 'calls')]))
  }
  const resources = [...new Set(own.map(({ resource }) => resource))].toSorted()
  return {
    day,
    counted: sum(own, 'counted'),
    by_resource: sums(resources, 'resource'),
    by_outcome: sums(outcomes, 'outcome'),
  }
}

/** Returns days up to today, the oldest first, also those without a call. They are of UTC, as the log of calls counts them. */
function lastDays({ clock }: App, count: number): string[] {
  const today = clock.now().toISOString().slice(0, 10)
  return Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count))
}
