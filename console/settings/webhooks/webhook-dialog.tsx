import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import FormHelperText from '@mui/material/FormHelperText'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { eventNames, payloads, recordsOfEvent } from '#registry/webhooks.ts'
import type { Webhook } from '../../client/answers.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { rawText } from '../../texts/raw-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormDialog, PasswordField, Select, SmallField, useSmallForm } from '../../ui/small-form.tsx'
import { EventMatrix } from '../matrices.tsx'

type WebhookDialogProps = {
  /** Null for a new one. */
  webhook: Webhook | null
  onClose(): void
  /** Called after saving. A new webhook has a secret, which is shown once. */
  onSaved(secret: string | undefined): void
}

/** Changes address, events and options of a webhook. The account must be allowed to see the sent records. */
export function WebhookDialog({ webhook, onClose, onSaved }: WebhookDialogProps) {
  const { settings, common, commonFields } = useTexts()
  const { webhooks, fields } = settings
  const me = useMe()
  const held = eventNames.filter((event) => me.may(recordsOfEvent(event), 'VIEW'))
  const [typed, setTyped] = useState(() => ({
    name: webhook ? rawText(webhook.name) : '',
    url: webhook ? rawText(webhook.url) : '',
    events: webhook?.events ?? held,
    payload: webhook?.payload ?? 'full',
    ordered: webhook?.ordered ?? true,
  }))
  const [password, setPassword] = useState('')
  const set = (change: Partial<typeof typed>) => setTyped({ ...typed, ...change })
  const form = useSmallForm(async ({ write, say }) => {
    const body = { ...typed, password }
    if (webhook) await write('webhooks.update', { id: webhook.id, body })
    const made = webhook ? undefined : (await write('webhooks.create', { body })).data.secret
    say(webhooks.saved)
    onSaved(made)
  })
  return (
    <FormDialog
      form={form}
      title={webhook ? common.editOne(quote(webhook.name)) : webhooks.add}
      confirm={webhook ? common.save : common.create}
      isDisabled={password === ''}
      onClose={onClose}
    >
      <SmallField
        label={commonFields.name}
        autoComplete="off"
        hint={webhooks.nameHint}
        {...form.bindField('name', typed.name, (name) => set({ name }))}
      />
      <SmallField
        label={fields.url}
        type="url"
        autoComplete="off"
        hint={webhooks.urlHint}
        {...form.bindField('url', typed.url, (url) => set({ url }))}
      />
      <div>
        <Typography variant="h3">{fields.events}</Typography>
        <EventMatrix
          chosen={typed.events}
          held={new Set([...held, ...typed.events])}
          onChange={(events) => set({ events })}
        />
        {form.wrong('events') && <FormHelperText error>{form.wrong('events')}</FormHelperText>}
      </div>
      <Select
        id="webhook-payload"
        label={fields.payload}
        value={typed.payload}
        options={payloads.map((value) => ({ value, text: webhooks.payloads[value] }))}
        onChange={(payload) => set({ payload })}
      />
      <div>
        <FormControlLabel
          label={webhooks.ordered}
          control={<Checkbox checked={typed.ordered} onChange={({ target }) => set({ ordered: target.checked })} />}
        />
        <FormHelperText>{typed.ordered ? webhooks.orderedHint : webhooks.unorderedHint}</FormHelperText>
      </div>
      <PasswordField hint={webhooks.passwordWhy} {...form.bindField('password', password, setPassword)} />
    </FormDialog>
  )
}
