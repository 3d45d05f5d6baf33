import useMediaQuery from '@mui/material/useMediaQuery'
import { BarChart } from '@mui/x-charts/BarChart'
import type { UsageDay } from '#derive/console/responses.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'

export type UsageGrouping = 'by_resource' | 'by_outcome'
export type UsageProps = {
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
export function UsageChart({ days, by, series, nameOf }: UsageProps) {
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
