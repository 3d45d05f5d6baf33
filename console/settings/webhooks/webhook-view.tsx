import Chip from '@mui/material/Chip'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { Webhook } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import type { Texts } from '../../texts/en/index.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { PlainList } from '../../ui/layout.tsx'
import { FactList, Note, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { NewToken } from '../api/new-token.tsx'
import { SettingsEntry } from '../history/settings-entry.tsx'
import { EventMatrix } from '../matrices.tsx'
import { webhooksPath } from '../paths.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookAttempts } from './webhook-attempts.tsx'

/** Shows one webhook: its state, its attempts and its actions. */
export function WebhookView({ id }: { id: number }) {
  const { webhooks } = useTexts().settings
  const { data, error, reload } = useLoaded('webhooks.fetch', { id })
  const [secret, setSecret] = useState<string>()
  // Attempts and history are loaded again after each action.
  const [round, setRound] = useState(0)
  const again = () => {
    setRound(round + 1)
    reload()
  }
  return (
    <>
      <Typography component="div" gutterBottom>
        <TextLink to={webhooksPath}>{webhooks.all}</TextLink>
      </Typography>
      <PendingContent error={error} retry={reload} isThere={!!data} />
      <NewToken
        title={webhooks.rotated}
        lead={webhooks.secretLead}
        token={secret}
        onClose={() => setSecret(undefined)}
      />
      {data && !error && (
        <>
          <Facts webhook={data} onDone={again} onSecret={setSecret} />
          <WebhookAttempts key={`sent ${round}`} id={id} since={data.attempts_since} onDone={again} />
          <WebhookHistory key={`changed ${round}`} id={id} />
        </>
      )}
    </>
  )
}

type FactsProps = { webhook: Webhook; onDone(): void; onSecret(secret: string): void }

function Facts({ webhook, onDone, onSecret }: FactsProps) {
  const { webhooks } = useTexts().settings
  const format = useFormat()
  const { name, url, payload, ordered, events, created_at, failing_since, next_attempt_at, previous_until } = webhook
  const isPreviousGood = previous_until !== null && new Date(previous_until) > new Date()
  return (
    <Panel title={name} aside={<WebhookState webhook={webhook} />}>
      <Advice webhook={webhook} />
      <FactList
        facts={[
          [webhooks.url, url],
          [webhooks.payload, webhooks.payloads[payload]],
          [webhooks.order, ordered ? webhooks.inOrder : webhooks.anyOrder],
          [webhooks.answers, webhook.answers?.name ?? webhooks.nobodyAnswers],
          [webhooks.created, created_at && format.moment(created_at)],
          [webhooks.failingSince, failing_since && format.moment(failing_since)],
          [webhooks.replay, webhook.is_replaying && webhooks.replaying],
          [webhooks.nextAttempt, next_attempt_at && format.exactly(next_attempt_at)],
          [webhooks.previousUntil, isPreviousGood && format.moment(previous_until)],
        ]}
      />
      <EventMatrix isReadOnly chosen={events} />
      <WebhookActions webhook={webhook} onDone={onDone} onSecret={onSecret} />
    </Panel>
  )
}

/** Shows the remedy if the webhook has a problem. */
function Advice({ webhook: { disabled_because, failing_since, resync_since } }: { webhook: Webhook }) {
  const { advice } = useTexts().settings.webhooks
  const text = disabled_because
    ? advice[disabled_because]
    : failing_since
      ? advice.fails
      : resync_since
        ? advice.resync
        : undefined
  if (!text) return null
  return <Note severity={disabled_because === 'by_hand' ? 'info' : 'warning'}>{text}</Note>
}

/** Lists the changes of a webhook by people and by the service itself. */
function WebhookHistory({ id }: { id: number }) {
  const { settings, history } = useTexts()
  const { webhooks } = settings
  const { data, error, reload } = useLoaded('webhooks.history', { id })
  return (
    <Panel title={webhooks.history}>
      <PendingContent error={error} retry={reload} isThere={!!data} />
      <PlainList aria-label={history.lead} as="ol">
        {data?.map((entry) => (
          <SettingsEntry key={entry.id} entry={entry} did={webhooks.did} />
        ))}
      </PlainList>
    </Panel>
  )
}

/** Shows the state of a webhook as a word, with a colour that repeats it. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { states } = useTexts().settings.webhooks
  const [tone, word] = stateOf(webhook, states)
  return <Chip color={tone} label={word} />
}

function stateOf(
  { disabled_because, failing_since, resync_since }: Webhook,
  words: Texts['settings']['webhooks']['states'],
) {
  if (disabled_because === 'by_hand') return ['default', words.by_hand] as const
  if (disabled_because === 'gone') return ['error', words.gone] as const
  if (disabled_because === 'failing') return ['error', words.given_up] as const
  if (disabled_because === 'rights') return ['error', words.rights] as const
  if (failing_since) return ['warning', words.failing] as const
  if (resync_since) return ['warning', words.resync] as const
  return ['success', words.well] as const
}
