import Alert from '@mui/material/Alert'
import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import Link from '@mui/material/Link'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { WebhookAttempt, WebhookAttemptOpened } from '../../client/answers.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import type { ForeignText } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Code } from '../../ui/layout.tsx'
import { MutedText, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'
import { TellingFields } from '../calls/call-table.tsx'
import { bodyMax, formatMessage } from '../calls/call-text.ts'

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
        checked={failed}
        onChange={(_, isOn) => {
          setFailed(isOn)
          setPage(1)
        }}
        control={<Checkbox size="small" />}
      />
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && total === 0 && <Typography color="textSecondary">{webhooks.noAttempts}</Typography>}
      {answer && total > 0 && (
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
  const { webhooks, calls } = useTexts().settings
  const format = useFormat()
  return (
    <DataTable
      isLog
      label={webhooks.attempts}
      items={attempts}
      keyOf={({ id }) => id}
      columns={[
        {
          title: calls.time,
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
        { title: calls.duration, align: 'right', cell: ({ ms }) => `${format.number(Math.round(ms))} ms` },
      ]}
    />
  )
}

/** Shows one attempt with request and answer, and a button to send it again. */
function AttemptDialog({ id, onClose, onDone }: { id: number; onClose(): void; onDone(): void }) {
  const { webhooks } = useTexts().settings
  const { data, error } = useLoaded('webhook-attempts.fetch', { id })
  const again = useSmallForm(async ({ write, say }) => {
    const { arrived } = (await write('webhook-attempts.send-again', { id })).data
    say(arrived ? webhooks.sentAgain : webhooks.testFailed, arrived ? 'success' : 'warning')
    onDone()
  })
  return (
    <AskFirst
      wide
      title={data ? data.event : webhooks.attempt}
      confirm={webhooks.sendAgain}
      isBusy={again.isBusy}
      isDisabled={!data}
      onConfirm={async () => (await again.submit()) && onClose()}
      onClose={onClose}
    >
      {again.trouble && <Alert severity="error">{again.trouble}</Alert>}
      <PendingContent error={error} isThere={!!data} />
      {data && <AttemptText attempt={data} />}
    </AskFirst>
  )
}

function AttemptText({ attempt }: { attempt: WebhookAttemptOpened }) {
  const { webhooks, calls } = useTexts().settings
  const format = useFormat()
  const { at, ms, event_id, status, failure, detail, answer_headers, answer_body, answer_cut } = attempt
  const { request_headers, request_body, request_cut, request_bytes, request_is } = attempt
  return (
    <Stack spacing={1.5}>
      <Typography color="textSecondary">
        {format.exactly(at)} · {format.number(Math.round(ms))} ms · {format.number(request_bytes)} B · {event_id}
      </Typography>
      {request_is !== 'same' && (
        <Alert severity="info" variant="outlined">
          {webhooks.requestIs[request_is]}
        </Alert>
      )}
      <Part title={calls.request} headers={request_headers} body={request_body} note={request_cut && webhooks.cut} />
      {status === null ? (
        <Alert severity="error" variant="outlined">
          <strong>{webhooks.failures[failure ?? '']}</strong>: <Foreign text={detail} />
        </Alert>
      ) : (
        <Part
          title={`${webhooks.answer}: ${status}`}
          headers={answer_headers ?? {}}
          body={answer_body}
          note={attempt.arrived ? webhooks.answerNotKept : answer_cut && webhooks.cut}
        />
      )}
    </Stack>
  )
}

type PartProps = {
  title: string
  headers: { readonly [name: string]: ForeignText }
  body: ForeignText | null
  note: string | false
}

function Part({ title, headers, body, note }: PartProps) {
  const text = formatMessage({ headers, body })
  return (
    <section>
      <Typography variant="h3" gutterBottom>
        {title}
      </Typography>
      {text && (
        <Code aria-label={title}>
          <Foreign text={text} max={bodyMax} />
        </Code>
      )}
      {note && <MutedText>{note}</MutedText>}
    </section>
  )
}
