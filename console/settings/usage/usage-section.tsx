import Box from '@mui/material/Box'
import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import { useState } from 'react'
import { useLoaded } from '../../client/use-loaded.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { PlanUse } from './plan-use.tsx'
import { type By, seriesOf } from './usage.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageTable } from './usage-table.tsx'

/** Calls a day as a chart, the numbers behind it, and how much of the plan is used. */
export function UsageSection() {
  const { usage } = useTexts().settings
  const { many } = useRecordTexts()
  const [period, setPeriod] = useState(30)
  const [by, setBy] = useState<By>('by_resource')
  const { data, error, reload } = useLoaded('usage', { query: { days: period } })
  if (error) return <Trouble error={error} retry={reload} />
  if (!data) return <Waiting />
  const series = seriesOf(data.days, by)
  const nameOf = (name: string): string => (by === 'by_resource' ? many(name) : (usage.outcomes[name] ?? name))
  return (
    <>
      <PlanUse plan={data.plan} />
      <Panel title={usage.chart}>
        <Box component="p" sx={{ mt: 0, color: 'text.secondary' }}>
          {usage.lead}
        </Box>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, mb: 2 }}>
          <TextField
            select
            id="usage-days"
            fullWidth={false}
            label={usage.days}
            value={period}
            onChange={({ target }) => setPeriod(Number(target.value))}
            sx={{ minWidth: 160 }}
          >
            {[7, 30, 90].map((days) => (
              <MenuItem key={days} value={days}>
                {usage.lastDays(days)}
              </MenuItem>
            ))}
          </TextField>
          <TextField
            select
            id="usage-by"
            fullWidth={false}
            label={usage.by}
            value={by}
            onChange={({ target }) => setBy(target.value as By)}
            sx={{ minWidth: 160 }}
          >
            <MenuItem value="by_resource">{usage.byResource}</MenuItem>
            <MenuItem value="by_outcome">{usage.byOutcome}</MenuItem>
          </TextField>
        </Box>
        {series.length === 0 ? (
          <Empty title={usage.none} lead={usage.noneLead} />
        ) : (
          <>
            <UsageChart days={data.days} by={by} series={series} nameOf={nameOf} />
            <UsageTable days={data.days} by={by} series={series} nameOf={nameOf} />
          </>
        )}
      </Panel>
    </>
  )
}
