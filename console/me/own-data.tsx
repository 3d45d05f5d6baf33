import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Panel } from '../ui/panel.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../ui/small-form.tsx'
import { useMe } from './me.tsx'

/** One’s own name and address. Another address asks for the password. */
export function OwnData() {
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
        <SmallField label={profile.name} value={name} autoComplete="name" onType={setName} wrong={form.wrong('name')} />
        <SmallField
          label={profile.email}
          value={email}
          autoComplete="email"
          onType={setEmail}
          wrong={form.wrong('email')}
        />
        {isOtherEmail && (
          <PasswordField
            label={profile.current}
            value={current}
            onType={setCurrent}
            wrong={form.wrong('password.current')}
            hint={profile.emailWhy}
          />
        )}
      </SmallForm>
    </Panel>
  )
}
