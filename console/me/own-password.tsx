import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { Panel } from '../ui/panel.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../ui/small-form.tsx'
import { useMe } from './me.tsx'

/** Changes one's own password, which ends every other session. */
export function OwnPassword({ onChanged }: { onChanged(): void }) {
  const { profile } = useTexts()
  const { account, company } = useMe()
  const blank = { current: '', next: '', repeat: '' }
  const [typed, setTyped] = useState(blank)
  const form = useSmallForm(async ({ write, say }) => {
    await write('me.update', { body: { password: { current: typed.current, next: typed.next } } })
    setTyped(blank)
    say(profile.changed)
    onChanged()
  })
  const differs = typed.repeat !== '' && typed.repeat !== typed.next
  const wrongCurrent = form.wrong('password.current')
  return (
    <Panel title={profile.change}>
      <SmallForm
        form={form}
        confirm={profile.change}
        isDisabled={!typed.current || !typed.next || !typed.repeat}
        onSubmit={() => typed.next === typed.repeat && form.submit()}
      >
        <PasswordField
          label={profile.current}
          value={typed.current}
          onType={(current) => setTyped({ ...typed, current })}
          wrong={wrongCurrent}
        />
        <NewPasswordField
          label={profile.next}
          value={typed.next}
          owner={{ ...account, company: company.name }}
          wrong={form.wrong('password.next', 'password')}
          onType={(next) => setTyped({ ...typed, next })}
        />
        <SmallField
          type="password"
          label={profile.repeat}
          value={typed.repeat}
          autoComplete="new-password"
          onType={(repeat) => setTyped({ ...typed, repeat })}
          wrong={differs ? profile.differs : undefined}
        />
      </SmallForm>
    </Panel>
  )
}
