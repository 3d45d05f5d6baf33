import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import TextField from '@mui/material/TextField'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { ask } from '../client/ask.ts'
import { useTexts } from '../texts/texts.tsx'
import { Panel } from '../ui/panel.tsx'
import { useSmallForm } from '../ui/use-small-form.ts'
import { useMe } from './me.tsx'

/** One’s own name and address. Another address asks for the password. */
export function OwnData() {
  const { profile, common } = useTexts()
  const { account, reload } = useMe()
  const notify = useNotify()
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const [current, setCurrent] = useState('')
  const isOtherEmail = email.trim() !== account.email
  const form = useSmallForm(() =>
    ask('me.update', { body: { name, email, ...(isOtherEmail ? { password: { current } } : {}) } }),
  )
  return (
    <Panel title={profile.lead}>
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (!(await form.submit())) return
          setCurrent('')
          notify(profile.saved, { type: 'success' })
          await reload()
        }}
      >
        <Box sx={{ display: 'grid', gap: 2 }}>
          {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
          <TextField
            label={profile.name}
            value={name}
            autoComplete="name"
            onChange={({ target }) => setName(target.value)}
            error={!!form.wrong('name')}
            helperText={form.wrong('name')}
          />
          <TextField
            label={profile.email}
            value={email}
            autoComplete="email"
            onChange={({ target }) => setEmail(target.value)}
            error={!!form.wrong('email')}
            helperText={form.wrong('email')}
          />
          {isOtherEmail && (
            <TextField
              type="password"
              label={profile.current}
              value={current}
              autoComplete="current-password"
              onChange={({ target }) => setCurrent(target.value)}
              error={!!form.wrong('password.current')}
              helperText={form.wrong('password.current') ?? profile.emailWhy}
            />
          )}
          <Button
            type="submit"
            variant="contained"
            loading={form.isBusy}
            disabled={isOtherEmail && current === ''}
            sx={{ justifySelf: 'start' }}
          >
            {common.save}
          </Button>
        </Box>
      </form>
    </Panel>
  )
}
