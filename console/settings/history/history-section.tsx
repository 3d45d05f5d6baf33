import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { PlainList } from '../../ui/layout.tsx'
import { Empty, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { SettingsEntry } from './settings-entry.tsx'

const perPage = 25

/** Lists the changes of settings, newest first. */
export function HistorySection() {
  const { sections, history } = useTexts().settings
  const [page, setPage] = useState(1)
  const { answer, error, reload } = useLoaded('settings.history', { query: pageQuery(page, perPage) })
  const total = answer?.meta.total ?? 0
  return (
    <Panel title={sections.history}>
      <Typography color="textSecondary">{history.lead}</Typography>
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && total === 0 && <Empty title={history.none} />}
      {answer && total > 0 && (
        <>
          <PlainList aria-label={sections.history} as="ol">
            {answer.data.map((entry) => (
              <SettingsEntry
                key={entry.id}
                entry={entry}
                what={[history.kinds[entry.records] ?? entry.records, entry.title].filter(Boolean).join(' ')}
              />
            ))}
          </PlainList>
          <Paging listing={{ page, perPage, total, setPage }} />
        </>
      )}
    </Panel>
  )
}
