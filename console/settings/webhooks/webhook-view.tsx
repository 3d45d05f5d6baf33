import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import Typography from '@mui/material/Typography'
import { useNotify, useRedirect } from 'ra-core'
import { useState } from 'react'
import type { Webhook } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useWrite } from '../../client/use-write.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Buttons, PlainList } from '../../ui/layout.tsx'
import { FactList, Note, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { PasswordDialog, PasswordField, SmallField, useSmallForm } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { NewToken } from '../api/new-token.tsx'
import { SettingsEntry } from '../history/history-section.tsx'
import { EventMatrix } from '../matrices.tsx'
import { webhooksPath } from '../paths.ts'
import { WebhookAttempts } from './webhook-attempts.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

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

type PartProps = { webhook: Webhook; onDone(): void; onSecret(secret: string): void }

function Facts({ webhook, onDone, onSecret }: PartProps) {
  const { webhooks, fields } = useTexts().settings
  const format = useFormat()
  const { name, url, payload, ordered, events, created_at, failing_since, next_attempt_at, previous_until } = webhook
  const state = stateOf(webhook)
  const isPreviousGood = previous_until !== null && new Date(previous_until) > new Date()
  return (
    <Panel title={quote(name)} aside={<WebhookState webhook={webhook} />}>
      {state !== 'well' && <Note severity={state === 'by_hand' ? 'info' : 'warning'}>{webhooks.advice[state]}</Note>}
      <FactList
        facts={[
          [fields.url, <Foreign text={url} />],
          [fields.payload, webhooks.payloads[payload]],
          [webhooks.order, ordered ? webhooks.inOrder : webhooks.anyOrder],
          [webhooks.answers, webhook.answers ? <Foreign text={webhook.answers.name} /> : webhooks.nobodyAnswers],
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
  const state = stateOf(webhook)
  return <Chip color={tones[state]} label={states[state]} />
}

/** Returns the reason why it is disabled, else the problem of an enabled one. */
const stateOf = ({ disabled_because, failing_since, resync_since }: Webhook) =>
  disabled_because ?? (failing_since ? 'fails' : resync_since ? 'resync' : 'well')

const tones = {
  by_hand: 'default',
  gone: 'error',
  failing: 'error',
  rights: 'error',
  fails: 'warning',
  resync: 'warning',
  well: 'success',
} as const

function WebhookActions({ webhook, onDone, onSecret }: PartProps) {
  const { settings, common } = useTexts()
  const { webhooks } = settings
  const { id, disabled_because, answers } = webhook
  const state = stateOf(webhook)
  const notify = useNotify()
  // Shared by all buttons, because the success of one ends the idempotency keys of the others.
  const write = useWrite()
  const redirect = useRedirect()
  const [asked, setAsked] = useState<'edit' | 'enable' | 'rotate' | 'replay' | 'delete'>()
  const close = () => setAsked(undefined)
  const say = (text: string, type: 'success' | 'warning' = 'success') => {
    notify(text, { type })
    onDone()
  }
  const test = useSmallForm(async () => {
    const { data } = await write('webhooks.test', { id })
    say(data.arrived ? webhooks.tested : webhooks.testFailed, data.arrived ? 'success' : 'warning')
  })
  const disable = useSmallForm(async () => {
    await write('webhooks.disable', { id })
    say(webhooks.disabled)
  })
  const remove = useSmallForm(async () => {
    await write('webhooks.delete', { id })
    notify(webhooks.deleted, { type: 'success' })
    redirect(webhooksPath)
  })
  const trouble = test.trouble ?? disable.trouble
  const enableLabels: { readonly [state: string]: string } = {
    fails: webhooks.tryNow,
    resync: webhooks.understood,
    well: webhooks.takeOver,
  }
  const enableLabel = enableLabels[state] ?? webhooks.enable
  return (
    <>
      <Buttons>
        {(state !== 'well' || answers === null) && (
          <Button variant="contained" onClick={() => setAsked('enable')}>
            {enableLabel}
          </Button>
        )}
        <Button variant="outlined" loading={test.isBusy} onClick={test.submit}>
          {webhooks.test}
        </Button>
        {(['edit', 'rotate', 'replay'] as const).map((action) => (
          <Button key={action} variant="outlined" onClick={() => setAsked(action)}>
            {action === 'edit' ? common.edit : webhooks[action]}
          </Button>
        ))}
        {!disabled_because && (
          <Button variant="outlined" loading={disable.isBusy} onClick={disable.submit}>
            {webhooks.disable}
          </Button>
        )}
        <Button variant="outlined" color="error" onClick={() => setAsked('delete')}>
          {common.delete}
        </Button>
      </Buttons>
      {trouble && (
        <Text role="alert" color="error" mt={1}>
          {trouble}
        </Text>
      )}
      {asked === 'edit' && <WebhookDialog webhook={webhook} onClose={close} onSaved={onDone} />}
      {asked === 'enable' && (
        <PasswordDialog
          title={webhooks.enableTitle}
          lead={webhooks.enableLead}
          confirm={enableLabel}
          onClose={close}
          send={async (password) => {
            await write('webhooks.enable', { id, body: { password } })
            say(webhooks.enabled)
          }}
        />
      )}
      {asked === 'rotate' && (
        <PasswordDialog
          title={webhooks.rotateTitle}
          lead={webhooks.rotateLead}
          confirm={webhooks.rotate}
          onClose={close}
          send={async (password) => {
            onSecret((await write('webhooks.rotate', { id, body: { password } })).data.secret)
            onDone()
          }}
        />
      )}
      {asked === 'replay' && <ReplayDialog id={id} onClose={close} onDone={() => say(webhooks.replayed)} />}
      {asked === 'delete' && (
        <AskFirst
          isDangerous
          title={webhooks.deleteTitle}
          confirm={common.delete}
          isBusy={remove.isBusy}
          onConfirm={remove.submit}
          onClose={close}
        >
          {remove.trouble ?? webhooks.deleteLead}
        </AskFirst>
      )}
    </>
  )
}

/** Asks for the moment from which everything is sent again. */
function ReplayDialog({ id, onClose, onDone }: { id: number; onClose(): void; onDone(): void }) {
  const { webhooks, fields } = useTexts().settings
  const [typed, setTyped] = useState(() => hourAgo())
  const [password, setPassword] = useState('')
  const moment = new Date(typed)
  const form = useSmallForm(async ({ write }) => {
    await write('webhooks.replay', { id, body: { from: moment.toISOString(), password } })
    onClose()
    onDone()
  })
  return (
    <AskFirst
      title={webhooks.replay}
      confirm={webhooks.replay}
      isBusy={form.isBusy}
      isDisabled={Number.isNaN(moment.getTime()) || password === ''}
      onConfirm={form.submit}
      onClose={onClose}
    >
      <Typography gutterBottom>{webhooks.replayLead}</Typography>
      <SmallField
        autoFocus
        type="datetime-local"
        label={fields.from}
        slotProps={{ inputLabel: { shrink: true } }}
        {...form.bindField('from', typed, setTyped)}
      />
      <PasswordField value={password} onType={setPassword} wrong={form.wrong('password') ?? form.trouble} />
    </AskFirst>
  )
}

/** Returns the local time an hour ago without seconds, in the format of the browser's input. */
function hourAgo(): string {
  const now = new Date()
  return new Date(now.getTime() - (now.getTimezoneOffset() + 60) * 60_000).toISOString().slice(0, 16)
}
