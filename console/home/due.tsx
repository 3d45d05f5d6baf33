import Typography from '@mui/material/Typography'
import type { DueItem } from '#derive/console/responses.ts'
import { pathOf } from '../shell/places.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
import { BetweenRow, PlainList, Unbroken } from '../ui/layout.tsx'
import { Panel } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'

type DueProps = { title: string; resource: string; items: readonly DueItem[]; count: number; to: string }

/** Lists documents that lapse soon or have lapsed, the most urgent first. */
export function Due({ title, resource, items, count, to }: DueProps) {
  const { home, show } = useTexts()
  const format = useFormat()
  const today = new Date().toISOString().slice(0, 10)
  return (
    <Panel
      title={title}
      aside={
        count > 0 && (
          <TextLink to={to}>
            {show.showAll} ({count})
          </TextLink>
        )
      }
    >
      {items.length === 0 && <Typography color="textSecondary">{home.all}</Typography>}
      <PlainList>
        {items.map(({ id, name, on }) => (
          <BetweenRow as="li" key={id} sx={{ py: 0.5 }}>
            <TextLink to={pathOf(resource, id)}>{name}</TextLink>
            <Unbroken sx={on < today ? { color: 'error.main', fontWeight: 600 } : { color: 'text.secondary' }}>
              {format.day(on)}
            </Unbroken>
          </BetweenRow>
        ))}
      </PlainList>
    </Panel>
  )
}
