import Box from '@mui/material/Box'
import { useState } from 'react'
import { useLoaded } from '../client/use-loaded.ts'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../ui/small-form.tsx'
import { useMe } from './me.tsx'
import { OwnPassword } from './own-password.tsx'
import { OwnSessions } from './own-sessions.tsx'

/** Shows one’s own account: name, e-mail, password and sessions. */
export function ProfilePage() {
  const { profile } = useTexts()
  const sessions = useLoaded('sessions.list')
  return (
    <Page title={profile.title} lead={profile.lead}>
      <Box
        sx={{ display: 'grid', columnGap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, alignItems: 'start' }}
      >
        <OwnData />
        <OwnPassword onChanged={() => sessions.reload()} />
        <Box sx={{ gridColumn: { md: '1 / -1' }, minWidth: 0 }}>
          <OwnSessions sessions={sessions} />
        </Box>
      </Box>
    </Page>
  )
}

/** Changes one’s own name and e-mail address. Another address needs the password. */
function OwnData() {
  const { profile, common } = useTexts()
  const { account, reload } = useMe()
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const [current, setCurrent] = useState('')
  const isOtherEmail = email.trim() !== account.email
  const form = useSmallForm(async ({ write, say }) => {
    await write('me.update', { body: { name, email, ...(isOtherEmail ? { password: { current } } : {}) } })
    setCurrent('')
    say(profile.saved)
    reload()
  })
  return (
    <Panel title={profile.lead}>
      <SmallForm form={form} confirm={common.save} isDisabled={isOtherEmail && current === ''}>
        <SmallField label={profile.name} autoComplete="name" {...form.bindField('name', name, setName)} />
        <SmallField label={profile.email} autoComplete="email" {...form.bindField('email', email, setEmail)} />
        {isOtherEmail && (
          <PasswordField
            label={profile.current}
            hint={profile.emailWhy}
            {...form.bindField('password.current', current, setCurrent)}
          />
        )}
      </SmallForm>
    </Panel>
  )
}
