import { useState } from 'react'
import { useNotify } from 'react-admin'
import { useWrite } from '../client/use-write.ts'
import { useTexts } from '../texts/texts.tsx'
import { Panel } from '../ui/panel.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../ui/small-form.tsx'
import { useMe } from './me.tsx'

/** One’s own name and address. Another address asks for the password. */
export function OwnData() {
  const { profile, common } = useTexts()
  const { account, reload } = useMe()
  const notify = useNotify()
  const write = useWrite()
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const [current, setCurrent] = useState('')
  const isOtherEmail = email.trim() !== account.email
  const form = useSmallForm(() =>
    write('me.update', { body: { name, email, ...(isOtherEmail ? { password: { current } } : {}) } }),
  )
  return (
    <Panel title={profile.lead}>
      <SmallForm
        form={form}
        confirm={common.save}
        isDisabled={isOtherEmail && current === ''}
        onSubmit={async () => {
          if (!(await form.submit())) return
          setCurrent('')
          notify(profile.saved, { type: 'success' })
          await reload()
        }}
      >
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
