import Stack from '@mui/material/Stack'
import type { RecentEntry } from '#derive/console/responses.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { pathOf } from '../shell/places.ts'
import { useFormat } from '../texts/format.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Pale, PlainList } from '../ui/layout.tsx'
import { Panel } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Lists the latest changes. */
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
      <PlainList>
        {entries.map((entry) => (
          <Stack
            component="li"
            direction="row"
            key={`${entry.at}${entry.records}${entry.record_id}${entry.action}`}
            sx={{ py: 0.5, columnGap: 1 }}
          >
            <Pale>{one(entry.records)}</Pale>
            {/^delete/.test(entry.action) ? (
              <span>{titleOf(entry)}</span>
            ) : (
              <TextLink to={pathOf(entry.records, entry.record_id)}>{titleOf(entry)}</TextLink>
            )}
            <Pale>
              {entry.who?.name ?? entry.token_label ?? history.system} {history.actions[entry.action] ?? entry.action} ·{' '}
              <time dateTime={entry.at}>{format.moment(entry.at)}</time>
            </Pale>
          </Stack>
        ))}
      </PlainList>
    </Panel>
  )
}
