import Box from '@mui/material/Box'
import Typography from '@mui/material/Typography'
import type { DueItem } from '#derive/console/answers.ts'
import { pathOf } from '../records/paths.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
import { Panel } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'

type DueProps = { title: string; resource: string; items: readonly DueItem[]; count: number; to: string }

/** What lapses soon or has lapsed, the most urgent first. */
export function Due({ title, resource, items, count, to }: DueProps) {
  const { home, show } = useTexts()
  const format = useFormat()
  const today = new Date().toISOString().slice(0, 10)
  return (
    <Panel
      title={title}
      aside={
        count > 0 && (
          <TextLink to={to} sx={{ fontSize: '0.9rem' }}>
            {show.showAll} ({count})
          </TextLink>
        )
      }
    >
      {items.length === 0 && <Typography color="textSecondary">{home.all}</Typography>}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {items.map(({ id, name, on }) => (
          <Box component="li" key={id} sx={{ display: 'flex', justifyContent: 'space-between', gap: 1, py: 0.5 }}>
            <TextLink to={pathOf(resource, id)}>{name}</TextLink>
            <Box
              component="span"
              sx={{
                whiteSpace: 'nowrap',
                color: on < today ? 'error.main' : 'text.secondary',
                fontWeight: on < today ? 600 : 400,
              }}
            >
              {format.day(on)}
            </Box>
          </Box>
        ))}
      </Box>
    </Panel>
  )
}
