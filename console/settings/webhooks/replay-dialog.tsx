import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { PasswordField, SmallField, useSmallForm } from '../../ui/small-form.tsx'

/** Asks for the moment from which everything is sent again. */
export function ReplayDialog({ id, onClose, onDone }: { id: number; onClose(): void; onDone(): void }) {
  const { webhooks } = useTexts().settings
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
        label={webhooks.replayFrom}
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
