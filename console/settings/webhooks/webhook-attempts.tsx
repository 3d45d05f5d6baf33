import Box from '@mui/material/Box'
import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import Link from '@mui/material/Link'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { WebhookAttempt } from '#derive/console/answers.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Muted, Panel } from '../../ui/panel.tsx'
import { Pending } from '../../ui/pending.tsx'
import { AttemptDialog } from './attempt-dialog.tsx'

const perPage = 25

type WebhookAttemptsProps = { id: number; since: string; onDone(): void }

/** What was sent to a webhook, newest first; the time opens one. All attempts from `since` on are there. */
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
      <Muted>{webhooks.attemptsSince(format.moment(since))}</Muted>
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
      <Pending error={error} retry={reload} isThere={!!answer} />
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
    <Box sx={{ overflowX: 'auto' }}>
      <Table
        aria-label={webhooks.attempts}
        sx={{ fontVariantNumeric: 'tabular-nums', '& td, & th': { whiteSpace: 'nowrap' } }}
      >
        <TableHead>
          <TableRow>
            <TableCell>{webhooks.time}</TableCell>
            <TableCell>{webhooks.answer}</TableCell>
            <TableCell>{webhooks.event}</TableCell>
            <TableCell align="right">{webhooks.duration}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {attempts.map((attempt) => (
            <TableRow key={attempt.id} hover>
              <TableCell>
                <Link
                  component="button"
                  type="button"
                  onClick={() => onOpen(attempt.id)}
                  aria-label={webhooks.openAttempt(format.exactly(attempt.at))}
                >
                  {format.exactly(attempt.at)}
                </Link>
              </TableCell>
              <TableCell sx={{ color: attempt.arrived ? undefined : 'error.main', fontWeight: 600 }}>
                {attempt.status ?? webhooks.failures[attempt.failure ?? '']}
              </TableCell>
              <TableCell>
                {attempt.event}
                {attempt.by_hand && ` · ${webhooks.byHand}`}
              </TableCell>
              <TableCell align="right">{format.number(Math.round(attempt.ms))} ms</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}
