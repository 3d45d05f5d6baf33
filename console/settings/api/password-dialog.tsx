import Alert from '@mui/material/Alert'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { useSmallForm } from '../../ui/use-small-form.ts'

type PasswordDialogProps = {
  title: string
  lead: string
  confirm: string
  isDangerous?: boolean
  onClose(): void
  /** Does it; what is refused is said at the password. */
  send(password: string): Promise<unknown>
}

/** What is about to happen, and the password before it does. */
export function PasswordDialog({ title, lead, confirm, isDangerous, onClose, send }: PasswordDialogProps) {
  const { settings } = useTexts()
  const [password, setPassword] = useState('')
  const form = useSmallForm(() => send(password))
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
