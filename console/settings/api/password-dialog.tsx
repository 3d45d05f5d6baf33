import Alert from '@mui/material/Alert'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { ask } from '../../client/ask.ts'
import { AskFirst } from '../../look/ask-first.tsx'
import { useSmallForm } from '../../look/use-small-form.ts'
import { useTexts } from '../../texts/texts.tsx'

type PasswordDialogProps = {
  operation: 'token.show' | 'token.rotate' | 'token.revoke'
  title: string
  lead: string
  confirm: string
  isDangerous?: boolean
  onClose(): void
  onDone(token: string | undefined): void
}

/** What is about to happen to running integrations, and the password before it does. */
export function PasswordDialog({ operation, title, lead, confirm, isDangerous, onClose, onDone }: PasswordDialogProps) {
  const { settings } = useTexts()
  const [password, setPassword] = useState('')
  const form = useSmallForm(async () => {
    const { data } = await ask(operation, { body: { password } })
    onDone('token' in data ? data.token : undefined)
  })
  const wrong = form.wrong('password') ?? form.trouble
  return (
    <AskFirst
      open
      title={title}
      confirm={confirm}
      isDangerous={isDangerous}
      isBusy={form.isBusy}
      isDisabled={password === ''}
      onConfirm={async () => (await form.submit()) && onClose()}
      onClose={onClose}
    >
      {isDangerous ? (
        <Alert severity="warning" variant="outlined" sx={{ mb: 2 }}>
          {lead}
        </Alert>
      ) : (
        <Typography sx={{ mb: 2 }}>{lead}</Typography>
      )}
      <TextField
        autoFocus
        type="password"
        autoComplete="current-password"
        label={settings.api.password}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        error={wrong !== undefined}
        helperText={wrong}
      />
    </AskFirst>
  )
}
