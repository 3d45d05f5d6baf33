import Box from '@mui/material/Box'
import Paper from '@mui/material/Paper'
import { useState } from 'react'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { CallDialog } from './call-dialog.tsx'
import { type CallFilter, CallFilters } from './call-filters.tsx'
import { CallTable } from './call-table.tsx'

const perPage = 50

/** The log of calls: narrowed, paged, and each to be opened. */
export function CallsSection() {
  const { calls } = useTexts().settings
  const [filter, setFilter] = useState<CallFilter>({})
  const [page, setPage] = useState(1)
  const [opened, setOpened] = useState<number>()
  const { answer, error, reload } = useLoaded('calls.list', { query: { ...pageQuery(page, perPage), ...filter } })
  const total = answer?.meta.total ?? 0
  return (
    <>
      <Box component="p" sx={{ mt: 0, color: 'text.secondary' }}>
        {calls.lead}
      </Box>
      <CallFilters
        values={filter}
        onChange={(values) => {
          setFilter(values)
          setPage(1)
        }}
        onReload={reload}
      />
      {error && <Trouble error={error} retry={reload} />}
      {!answer && !error && <Waiting />}
      {answer && !error && total === 0 && <Empty title={calls.none} lead={calls.noneLead} />}
      {answer && !error && total > 0 && (
        <Paper sx={{ overflow: 'hidden' }}>
          <CallTable calls={answer.data} onOpen={setOpened} />
          <Paging listing={{ page, perPage, total, setPage }} />
        </Paper>
      )}
      {opened !== undefined && <CallDialog id={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}
