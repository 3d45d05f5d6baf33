import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import TextField from '@mui/material/TextField'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { ask } from '../door/ask.ts'
import { Page } from '../look/page.tsx'
import { Panel } from '../look/panel.tsx'
import { useSmallForm } from '../look/use-small-form.ts'
import { useTexts } from '../texts/texts.tsx'
import { useMe } from './me.tsx'

/** One’s own account: name, e-mail and password. */
export function ProfilePage() {
  const { profile } = useTexts()
  return (
    <Page title={profile.title} lead={profile.lead}>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, alignItems: 'start' }}>
        <OwnData />
        <OwnPassword />
      </Box>
    </Page>
  )
}

function OwnData() {
  const { profile, common } = useTexts()
  const { account, reload } = useMe()
  const notify = useNotify()
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const form = useSmallForm(() => ask('PATCH', '/me', { body: { name, email } }))
  return (
    <Panel title={profile.lead}>
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (!(await form.submit())) return
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
          <Button type="submit" variant="contained" loading={form.isBusy} sx={{ justifySelf: 'start' }}>
            {common.save}
          </Button>
        </Box>
      </form>
    </Panel>
  )
}

function OwnPassword() {
  const { profile } = useTexts()
  const notify = useNotify()
  const blank = { current: '', next: '', repeat: '' }
  const [typed, setTyped] = useState(blank)
  const form = useSmallForm(() =>
    ask('PATCH', '/me', { body: { password: { current: typed.current, next: typed.next } } }),
  )
  const differs = typed.repeat !== '' && typed.repeat !== typed.next
  const fields = [
    { name: 'current', complete: 'current-password', wrong: form.wrong('password.current') },
    { name: 'next', complete: 'new-password', wrong: form.wrong('password.next', 'password') },
    { name: 'repeat', complete: 'new-password', wrong: differs ? profile.differs : undefined },
  ] as const
  return (
    <Panel title={profile.change}>
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (differs || typed.next !== typed.repeat || !(await form.submit())) return
          setTyped(blank)
          notify(profile.changed, { type: 'success' })
        }}
      >
        <Box sx={{ display: 'grid', gap: 2 }}>
          {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
          {fields.map(({ name, complete, wrong }) => (
            <TextField
              key={name}
              type="password"
              label={profile[name]}
              value={typed[name]}
              autoComplete={complete}
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
              error={!!wrong}
              helperText={wrong}
            />
          ))}
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
