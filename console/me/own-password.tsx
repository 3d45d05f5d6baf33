import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import TextField from '@mui/material/TextField'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { ask } from '../client/ask.ts'
import { useTexts } from '../texts/texts.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { Panel } from '../ui/panel.tsx'
import { useSmallForm } from '../ui/use-small-form.ts'
import { useMe } from './me.tsx'

/** A new password for oneself; every other session ends. */
export function OwnPassword({ onChanged }: { onChanged(): void }) {
  const { profile } = useTexts()
  const { account } = useMe()
  const notify = useNotify()
  const blank = { current: '', next: '', repeat: '' }
  const [typed, setTyped] = useState(blank)
  const form = useSmallForm(() =>
    ask('me.update', { body: { password: { current: typed.current, next: typed.next } } }),
  )
  const differs = typed.repeat !== '' && typed.repeat !== typed.next
  const wrongCurrent = form.wrong('password.current')
  return (
    <Panel title={profile.change}>
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (typed.next !== typed.repeat || !(await form.submit())) return
          setTyped(blank)
          notify(profile.changed, { type: 'success' })
          onChanged()
        }}
      >
        <Box sx={{ display: 'grid', gap: 2 }}>
          {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
          <TextField
            type="password"
            label={profile.current}
            value={typed.current}
            autoComplete="current-password"
            onChange={({ target }) => setTyped({ ...typed, current: target.value })}
            error={!!wrongCurrent}
            helperText={wrongCurrent}
          />
          <NewPasswordField
            label={profile.next}
            value={typed.next}
            owner={account}
            wrong={form.wrong('password.next', 'password')}
            onType={(next) => setTyped({ ...typed, next })}
          />
          <TextField
            type="password"
            label={profile.repeat}
            value={typed.repeat}
            autoComplete="new-password"
            onChange={({ target }) => setTyped({ ...typed, repeat: target.value })}
            error={differs}
            helperText={differs ? profile.differs : undefined}
          />
          <Button
            type="submit"
            variant="contained"
            loading={form.isBusy}
            disabled={!typed.current || !typed.next || !typed.repeat}
            sx={{ justifySelf: 'start' }}
          >
            {profile.change}
          </Button>
        </Box>
      </form>
    </Panel>
  )
}
