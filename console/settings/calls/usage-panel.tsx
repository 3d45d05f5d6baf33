import LinearProgress from '@mui/material/LinearProgress'
import useMediaQuery from '@mui/material/useMediaQuery'
import { BarChart } from '@mui/x-charts/BarChart'
import { useNavigate } from 'ra-core'
import { useState } from 'react'
import type { UsageDay, QuotaUsage as Use } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { DataTable, type TableColumn } from '../../ui/data-table.tsx'
import { BetweenRow, Details, RowStack, Tiles } from '../../ui/layout.tsx'
import { Empty, Lead, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { Select } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type CallFilter, callsAddress, periods } from '../paths.ts'

/** Shows the used share of the plan, a chart of calls by days, and its numbers, which link to the calls. */
export function UsagePanel({ days: period, filter }: { days: number; filter: CallFilter }) {
  const { usage, calls } = useTexts().settings
  const { many } = useRecordTexts()
  const navigate = useNavigate()
  const [by, setBy] = useState<UsageGrouping>('by_outcome')
  const { data, error, reload } = useLoaded('usage', { query: { days: period } })
  if (error || !data) return <PendingContent error={error} retry={reload} />
  const series = seriesOf(data.days, by)
  const nameOf = (name: string): string => (by === 'by_resource' ? many(name) : (calls.outcomes[name] ?? name))
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
              { value: 'by_outcome', text: calls.outcome },
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
  const { settings, form } = useTexts()
  const { usage } = settings
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
              <span>{limit === null ? `${format.number(used)} (${usage.unlimited})` : form.share(used, limit)}</span>
            </BetweenRow>
            {limit !== null && (
              <LinearProgress
                variant="determinate"
                value={Math.min(100, (used / limit) * 100)}
                color={used >= limit ? 'error' : used > limit * 0.9 ? 'warning' : 'primary'}
                aria-label={many(records)}
                aria-valuetext={form.share(used, limit)}
                sx={{ height: 8, borderRadius: 4 }}
              />
            )}
          </div>
        ))}
      </Tiles>
    </Panel>
  )
}

type UsageGrouping = 'by_resource' | 'by_outcome'
type UsageProps = {
  days: readonly UsageDay[]
  by: UsageGrouping
  series: readonly string[]
  nameOf(name: string): string
}

/** Colours of the outcomes of calls. Only refused calls are red. */
const ofOutcomes: { readonly [outcome: string]: string } = {
  ok: 'var(--mui-palette-success-main)',
  refused: 'var(--mui-palette-error-main)',
  replayed: '#8a9795',
  dry_run: 'var(--mui-palette-info-main)',
}

/** Colours that are distinct in both schemes. */
const ofResources = ['#2f8f86', '#e0a526', '#5b8def', '#9a6fd0', '#8a9795', '#a3764a']

const colorOf = (by: UsageGrouping, name: string, index: number): string =>
  (by === 'by_outcome' && ofOutcomes[name]) || (ofResources[index % ofResources.length] as string)

/** Shows one bar for each day. Hidden from screen readers, which have the table below. */
function UsageChart({ days, by, series, nameOf }: UsageProps) {
  const { usage } = useTexts().settings
  const format = useFormat()
  const isNarrow = useMediaQuery('(max-width: 600px)')
  return (
    <div aria-hidden data-chart={usage.chart}>
      <BarChart
        height={280}
        skipAnimation
        disableKeyboardNavigation
        xAxis={[
          {
            data: days.map(({ day }) => format.day(day)),
            scaleType: 'band',
            tickLabelInterval: (_, index) => index % Math.ceil(days.length / (isNarrow ? 3 : 7)) === 0,
          },
        ]}
        yAxis={[{ tickMinStep: 1, width: 48 }]}
        series={series.map((name, index) => ({
          color: colorOf(by, name, index),
          label: nameOf(name),
          data: days.map((day) => day[by][name] ?? 0),
          stack: 'calls',
        }))}
      />
    </div>
  )
}

/** A row of the table: one day, or all of them without a day of their own. */
type UsageRow = { day?: string; of: readonly UsageDay[] }

/** Shows the days in numbers, the latest first, with links to their calls. Leaves out days without calls. */
function UsageTable({ days, by, series, nameOf, period }: UsageProps & { period: number }) {
  const { usage } = useTexts().settings
  const format = useFormat()
  const busy = days.filter((day) => totalOf([day], by) > 0).toReversed()
  const columnOf = (title: TableColumn<UsageRow>['title'], count: (of: UsageRow['of']) => number, key?: string) => ({
    key,
    title,
    align: 'right' as const,
    cell: ({ of }: UsageRow) => format.number(count(of)),
  })
  return (
    <Details>
      <summary>{usage.table}</summary>
      <DataTable<UsageRow>
        label={usage.table}
        items={[...busy.map((day) => ({ day: day.day, of: [day] })), { of: days }]}
        keyOf={({ day = '' }) => day}
        styleOf={({ day }) => (day === undefined ? { '& > *': { fontWeight: 600 } } : undefined)}
        columns={[
          {
            title: usage.day,
            isHeading: true,
            cell: ({ day }) =>
              day === undefined ? (
                usage.total
              ) : (
                <TextLink to={callsAddress({ from: day, to: day }, { days: period })}>{format.day(day)}</TextLink>
              ),
          },
          ...series.map((name) =>
            columnOf(
              <TextLink to={callsAddress(by === 'by_outcome' ? { outcome: name } : { route: name }, { days: period })}>
                {nameOf(name)}
              </TextLink>,
              (of) => totalOf(of, by, name),
              name,
            ),
          ),
          columnOf(usage.total, (of) => totalOf(of, by)),
          columnOf(usage.counted, (of) => of.reduce((sum, { counted }) => sum + counted, 0)),
        ]}
      />
    </Details>
  )
}

const totalOf = (days: readonly UsageDay[], by: UsageGrouping, name?: string): number =>
  days
    .flatMap((day) => (name === undefined ? Object.values(day[by]) : [day[by][name] ?? 0]))
    .reduce((sum, count) => sum + count, 0)
