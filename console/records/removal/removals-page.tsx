import Restore from '@mui/icons-material/RestoreFromTrash'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { Removal } from '#derive/console/answers.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { channelOf } from '../history/channel.ts'
import { Paging } from '../list/paging.tsx'
import { pathOf } from '../paths.ts'
import { useRestore } from './use-restore.ts'

const perPage = 25

/** What was deleted, by whom and with what, and the way back for each deletion as a whole. */
export function RemovalsPage() {
  const { shell, removals } = useTexts()
  const [page, setPage] = useState(1)
  const { answer, error, reload } = useLoaded('removals.list', { query: pageQuery(page, perPage) })
  const total = answer?.meta.total ?? 0
  return (
    <Page title={shell.removals} lead={removals.lead}>
      {error && <Trouble error={error} retry={reload} />}
      {!answer && !error && <Waiting />}
      {answer && total === 0 && <Empty title={removals.none} lead={removals.noneLead} />}
      {answer && total > 0 && (
        <Paper>
          <Box component="ul" aria-label={shell.removals} sx={{ listStyle: 'none', m: 0, p: 0 }}>
            {answer.data.map((removal) => (
              <RemovalItem key={removal.id} removal={removal} onRestored={reload} />
            ))}
          </Box>
          {total > perPage && <Paging listing={{ page, perPage, total, setPage }} />}
        </Paper>
      )}
    </Page>
  )
}

function RemovalItem({ removal, onRestored }: { removal: Removal; onRestored(): void }) {
  const { removals, history } = useTexts()
  const { one, many } = useRecordTexts()
  const { may } = useMe()
  const format = useFormat()
  const restore = useRestore()
  const [isBusy, setBusy] = useState(false)
  const { id, records, record_id, title, at, who, mode, went, restored_at } = removal
  const name = title || `#${record_id}`
  const isBack = restored_at !== null
  async function bringBack(): Promise<void> {
    setBusy(true)
    if (await restore({ title: name, removal: id })) onRestored()
    setBusy(false)
  }
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        gap: 2,
        alignItems: 'center',
        p: 2,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <Box sx={{ flex: '1 1 260px', minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
          {isBack ? <TextLink to={pathOf(records, record_id)}>{name}</TextLink> : name}
        </Typography>
        <Typography variant="body2" color="textSecondary">
          {one(records)} · {who?.name ?? history.system} {channelOf(removal, history)} ·{' '}
          <time dateTime={at}>{format.moment(at)}</time>
        </Typography>
        {went.length > 0 && (
          <Typography variant="body2" color="textSecondary">
            {removals.with}: {went.map(({ records: resource, count }) => `${count} × ${many(resource)}`).join(', ')}
          </Typography>
        )}
      </Box>
      {isBack && <Typography color="textSecondary">{removals.back}</Typography>}
      {mode === 'hard' && <Typography color="textSecondary">{removals.gone}</Typography>}
      {!isBack && mode === 'soft' && may(records, 'EDIT') && (
        <Button
          variant="outlined"
          startIcon={<Restore />}
          loading={isBusy}
          onClick={bringBack}
          aria-label={removals.restoreOne(name)}
        >
          {removals.restore}
        </Button>
      )}
    </Box>
  )
}
