import { mdiDeleteRestore } from '@mdi/js'
import Button from '@mui/material/Button'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useNotify, useRefresh } from 'ra-core'
import { useState } from 'react'
import type { Removal } from '../../client/answers.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PlainList } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, ListRow } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Author, channelOf } from '../history/history.tsx'
import { Paging } from '../list/paging.tsx'

const perPage = 25

/** Lists deletions with their author and all deleted records. Each can be undone as a whole. */
export function RemovalsPage() {
  const { shell, removals } = useTexts()
  const [page, setPage] = useState(1)
  const { answer, error, reload } = useLoaded('removals.list', { query: pageQuery(page, perPage) })
  const total = answer?.meta.total ?? 0
  return (
    <Page title={shell.removals} lead={removals.lead}>
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && total === 0 && <Empty title={removals.none} lead={removals.noneLead} />}
      {answer && total > 0 && (
        <Paper>
          <PlainList aria-label={shell.removals}>
            {answer.data.map((removal) => (
              <RemovalItem key={removal.id} removal={removal} onRestored={reload} />
            ))}
          </PlainList>
          {total > perPage && <Paging listing={{ page, perPage, total, setPage }} />}
        </Paper>
      )}
    </Page>
  )
}

function RemovalItem({ removal, onRestored }: { removal: Removal; onRestored(): void }) {
  const texts = useTexts()
  const { removals, history } = texts
  const { one, many } = useRecordTexts()
  const { may } = useMe()
  const format = useFormat()
  const notify = useNotify()
  const write = useWrite()
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  const { id, records, record_id, title, at, who, mode, went, restored_at } = removal
  const name = title ? <Foreign text={title} /> : `#${record_id}`
  const nameText = title ? quote(title) : `#${record_id}`
  const isBack = restored_at !== null
  /** Restores the records of the deletion, as far as that is still possible. */
  async function bringBack(): Promise<void> {
    setBusy(true)
    try {
      await write('removals.restore', { id })
      notify(removals.restored(nameText), { type: 'success' })
      refresh()
      onRestored()
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    setBusy(false)
  }
  return (
    <ListRow
      title={isBack ? <TextLink to={pathOf(records, record_id)}>{name}</TextLink> : name}
      about={
        <>
          {one(records)} · <Author of={{ who }} /> {channelOf(removal, history)} ·{' '}
          <time dateTime={at}>{format.moment(at)}</time>
          {went.length > 0 && (
            <div>
              {removals.with}: {went.map(({ records: resource, count }) => `${count} × ${many(resource)}`).join(', ')}
            </div>
          )}
        </>
      }
    >
      {isBack && <Typography color="textSecondary">{removals.back}</Typography>}
      {mode === 'hard' && <Typography color="textSecondary">{removals.gone}</Typography>}
      {!isBack && mode === 'soft' && may(records, 'EDIT') && (
        <Button
          variant="outlined"
          startIcon={<Icon path={mdiDeleteRestore} />}
          loading={isBusy}
          onClick={bringBack}
          aria-label={removals.restoreOne(nameText)}
        >
          {removals.restore}
        </Button>
      )}
    </ListRow>
  )
}
