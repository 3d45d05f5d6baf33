import Alert from '@mui/material/Alert'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import type { WebhookAttemptOpened } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Code } from '../../ui/layout.tsx'
import { MutedText } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'
import { formatBody } from '../calls/repeat.tsx'

/** Shows one attempt with request and answer, and a button to send it again. */
export function AttemptDialog({ id, onClose, onDone }: { id: number; onClose(): void; onDone(): void }) {
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
  const { webhooks } = useTexts().settings
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
      <Part
        title={webhooks.request}
        headers={request_headers}
        body={request_body ?? ''}
        note={request_cut && webhooks.cut}
      />
      {status === null ? (
        <Alert severity="error" variant="outlined">
          <strong>{webhooks.failures[failure ?? '']}</strong>: {detail}
        </Alert>
      ) : (
        <Part
          title={`${webhooks.answer}: ${status}`}
          headers={answer_headers ?? {}}
          body={answer_body ?? ''}
          note={attempt.arrived ? webhooks.answerNotKept : answer_cut && webhooks.cut}
        />
      )}
    </Stack>
  )
}

type PartProps = { title: string; headers: { readonly [name: string]: string }; body: string; note: string | false }

function Part({ title, headers, body, note }: PartProps) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <section>
      <Typography variant="h3" gutterBottom>
        {title}
      </Typography>
      {(lines.length > 0 || body !== '') && (
        <Code aria-label={title}>{[...lines, ...(body === '' ? [] : ['', formatBody(body)])].join('\n')}</Code>
      )}
      {note && <MutedText>{note}</MutedText>}
    </section>
  )
}
