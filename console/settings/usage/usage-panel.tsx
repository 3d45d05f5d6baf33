import LinearProgress from '@mui/material/LinearProgress'
import { useState } from 'react'
import { useNavigate } from 'react-admin'
import type { UsageDay, QuotaUsage as Use } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { BetweenRow, RowStack, Tiles } from '../../ui/layout.tsx'
import { Empty, Lead, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { Select } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type CallFilter, callsAddress, periods } from '../paths.ts'
import { UsageChart, type UsageGrouping } from './usage-chart.tsx'
import { UsageTable } from './usage-table.tsx'

/** Shows the used share of the plan, a chart of calls by days, and its numbers, which link to the calls. */
export function UsagePanel({ days: period, filter }: { days: number; filter: CallFilter }) {
  const { usage } = useTexts().settings
  const { many } = useRecordTexts()
  const navigate = useNavigate()
  const [by, setBy] = useState<UsageGrouping>('by_outcome')
  const { data, error, reload } = useLoaded('usage', { query: { days: period } })
  if (error || !data) return <PendingContent error={error} retry={reload} />
  const series = seriesOf(data.days, by)
  const nameOf = (name: string): string => (by === 'by_resource' ? many(name) : (usage.outcomes[name] ?? name))
  return (
    <>
      <PlanUsage plan={data.plan} />
      <Panel title={usage.chart}>
        <Lead>{usage.lead}</Lead>
        <RowStack spacing={2} mb={2}>
          <Select
            id="usage-days"
            fullWidth={false}
            label={usage.days}
            value={period}
            options={periods.map((days) => ({ value: days, text: usage.lastDays(days) }))}
            onChange={(days) => navigate(callsAddress(filter, { days }))}
          />
          <Select
            id="usage-by"
            fullWidth={false}
            label={usage.by}
            value={by}
            options={[
              { value: 'by_outcome', text: usage.byOutcome },
              { value: 'by_resource', text: usage.byResource },
            ]}
            onChange={(chosen) => setBy(chosen)}
          />
        </RowStack>
        {series.length === 0 ? (
          <Empty title={usage.none} lead={usage.noneLead} />
        ) : (
          <>
            <UsageChart days={data.days} by={by} series={series} nameOf={nameOf} />
            <UsageTable days={data.days} by={by} series={series} nameOf={nameOf} period={period} />
          </>
        )}
      </Panel>
    </>
  )
}

/** Returns the distinct series of the days. */
const seriesOf = (days: readonly UsageDay[], by: UsageGrouping): string[] =>
  [...new Set(days.flatMap((day) => Object.keys(day[by]).filter((name) => (day[by][name] ?? 0) > 0)))].toSorted()

/** Shows the used share of the plan. */
function PlanUsage({ plan }: { plan: readonly Use[] }) {
  const { usage } = useTexts().settings
  const { many } = useRecordTexts()
  const { company } = useMe()
  const format = useFormat()
  return (
    <Panel title={`${usage.plan}: ${company.plan}`}>
      <Tiles width={240}>
        {plan.map(({ records, used, limit }) => (
          <div key={records}>
            <BetweenRow sx={{ mb: 0.5 }}>
              <TextLink to={`/${records}`}>{many(records)}</TextLink>
              <span>{limit === null ? `${format.number(used)} (${usage.unlimited})` : usage.used(used, limit)}</span>
            </BetweenRow>
            {limit !== null && (
              <LinearProgress
                variant="determinate"
                value={Math.min(100, (used / limit) * 100)}
                color={used >= limit ? 'error' : used > limit * 0.9 ? 'warning' : 'primary'}
                aria-label={many(records)}
                aria-valuetext={usage.used(used, limit)}
                sx={{ height: 8, borderRadius: 4 }}
              />
            )}
          </div>
        ))}
      </Tiles>
    </Panel>
  )
}
