import Box from '@mui/material/Box'
import LinearProgress from '@mui/material/LinearProgress'
import type { PlanUse as Use } from '#derive/console/answers.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'

/** How much of what the plan holds is used. */
export function PlanUse({ plan }: { plan: readonly Use[] }) {
  const { usage } = useTexts().settings
  const { many } = useRecordTexts()
  const { company } = useMe()
  const format = useFormat()
  return (
    <Panel title={`${usage.plan}: ${company.plan}`}>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 240px), 1fr))' }}>
        {plan.map(({ records, used, limit }) => (
          <Box key={records}>
            <Box sx={{ display: 'flex', justifyContent: 'space-between', mb: 0.5 }}>
              <TextLink to={`/${records}`}>{many(records)}</TextLink>
              <span>{limit === null ? `${format.number(used)} (${usage.unlimited})` : usage.used(used, limit)}</span>
            </Box>
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
          </Box>
        ))}
      </Box>
    </Panel>
  )
}
