import Box from '@mui/material/Box'
import type { RecentEntry } from '#derive/console/answers.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { pathOf } from '../records/paths.ts'
import { useFormat } from '../texts/format.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Panel } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** The last things that happened. */
export function Recent({ entries }: { entries: readonly RecentEntry[] }) {
  const { home, history } = useTexts()
  const { one } = useRecordTexts()
  const format = useFormat()
  if (entries.length === 0) return null
  const titleOf = ({ title, record_id, records }: RecentEntry): string => {
    const definition = definitionOf(registry, records)
    const isDay = definition?.fields[definition.title]?.kind === 'date'
    return title === null ? `#${record_id}` : isDay ? format.day(title) : title
  }
  return (
    <Panel title={home.recent}>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {entries.map((entry) => (
          <Box
            component="li"
            key={`${entry.at}${entry.records}${entry.record_id}${entry.action}`}
            sx={{ py: 0.5, display: 'flex', flexWrap: 'wrap', columnGap: 1 }}
          >
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {one(entry.records)}
            </Box>
            {/^delete/.test(entry.action) ? (
              <span>{titleOf(entry)}</span>
            ) : (
              <TextLink to={pathOf(entry.records, entry.record_id)}>{titleOf(entry)}</TextLink>
            )}
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {entry.who?.name ?? entry.token_label ?? history.system} {history.actions[entry.action] ?? entry.action} ·{' '}
              <time dateTime={entry.at}>{format.moment(entry.at)}</time>
            </Box>
          </Box>
        ))}
      </Box>
    </Panel>
  )
}
