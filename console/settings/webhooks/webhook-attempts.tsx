import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import Link from '@mui/material/Link'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { WebhookAttempt } from '#derive/console/responses.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { MutedText, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TellingFields } from '../calls/call-table.tsx'
import { AttemptDialog } from './attempt-dialog.tsx'

const perPage = 25

type WebhookAttemptsProps = { id: number; since: string; onDone(): void }

/** Lists the attempts of a webhook, newest first. The time opens one. All attempts from `since` on are stored. */
export function WebhookAttempts({ id, since, onDone }: WebhookAttemptsProps) {
  const { webhooks } = useTexts().settings
  const format = useFormat()
  const [page, setPage] = useState(1)
  const [failed, setFailed] = useState(false)
  const [opened, setOpened] = useState<number>()
  const query = { ...pageQuery(page, perPage), failed: failed || undefined }
  const { answer, error, reload } = useLoaded('webhooks.attempts', { id, query })
  const total = answer?.meta.total ?? 0
  return (
    <Panel title={webhooks.attempts}>
      <MutedText>{webhooks.attemptsSince(format.moment(since))}</MutedText>
      <FormControlLabel
        label={webhooks.failedAlone}
        control={
          <Checkbox
            size="small"
            checked={failed}
            onChange={({ target }) => {
              setFailed(target.checked)
              setPage(1)
            }}
          />
        }
      />
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && !error && total === 0 && <Typography color="textSecondary">{webhooks.noAttempts}</Typography>}
      {answer && !error && total > 0 && (
        <>
          <AttemptTable attempts={answer.data} onOpen={setOpened} />
          <Paging listing={{ page, perPage, total, setPage }} />
        </>
      )}
      {opened !== undefined && <AttemptDialog id={opened} onClose={() => setOpened(undefined)} onDone={onDone} />}
    </Panel>
  )
}

function AttemptTable({ attempts, onOpen }: { attempts: readonly WebhookAttempt[]; onOpen(id: number): void }) {
  const { webhooks } = useTexts().settings
  const format = useFormat()
  return (
    <DataTable
      isLog
      label={webhooks.attempts}
      items={attempts}
      keyOf={({ id }) => id}
      columns={[
        {
          title: webhooks.time,
          cell: ({ id, at }) => (
            <Link
              component="button"
              type="button"
              onClick={() => onOpen(id)}
              aria-label={webhooks.openAttempt(format.exactly(at))}
            >
              {format.exactly(at)}
            </Link>
          ),
        },
        {
          title: webhooks.answer,
          cell: ({ arrived, status, failure }) => (
            <TellingFields isBad={!arrived}>{status ?? webhooks.failures[failure ?? '']}</TellingFields>
          ),
        },
        { title: webhooks.event, cell: ({ event, by_hand }) => event + (by_hand ? ` · ${webhooks.byHand}` : '') },
        { title: webhooks.duration, align: 'right', cell: ({ ms }) => `${format.number(Math.round(ms))} ms` },
      ]}
    />
  )
}
