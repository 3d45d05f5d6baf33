import Box from '@mui/material/Box'
import { BarChart } from '@mui/x-charts/BarChart'
import type { UsageDay } from '#derive/console/answers.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { By } from './usage.ts'

export type UsageProps = { days: readonly UsageDay[]; by: By; series: readonly string[]; nameOf(name: string): string }

/** Apart from each other in both schemes. */
const colors = ['#2f8f86', '#e0a526', '#5b8def', '#d1604f', '#9a6fd0', '#8a9795']

/** One bar a day. Anyone who cannot see it has the table below, so it is hidden from readers of the screen. */
export function UsageChart({ days, by, series, nameOf }: UsageProps) {
  const { usage } = useTexts().settings
  const format = useFormat()
  return (
    <Box aria-hidden data-chart={usage.chart}>
      <BarChart
        height={280}
        skipAnimation
        colors={colors}
        disableKeyboardNavigation
        xAxis={[
          {
            data: days.map(({ day }) => format.day(day)),
            scaleType: 'band',
            tickLabelInterval: (_, index) => index % Math.ceil(days.length / 7) === 0,
          },
        ]}
        yAxis={[{ tickMinStep: 1, width: 48 }]}
        series={series.map((name) => ({
          label: nameOf(name),
          data: days.map((day) => day[by][name] ?? 0),
          stack: 'calls',
        }))}
      />
    </Box>
  )
}
