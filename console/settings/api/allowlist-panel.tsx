import { useState } from 'react'
import { useNotify } from 'react-admin'
import { allowlistProblem } from '#registry/allowlist.ts'
import { useWrite } from '../../client/use-write.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PasswordField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'
import { AllowlistField, entriesOf } from './allowlist-field.tsx'

/** From where the active token may be used. */
export function AllowlistPanel({ allowlist, onChanged }: { allowlist: readonly string[]; onChanged(): void }) {
  const { settings, common } = useTexts()
  const notify = useNotify()
  const write = useWrite()
  const shown = allowlist.map((entry) => entry.replace(/\/32$/, '')).join('\n')
  const [typed, setTyped] = useState(shown)
  const [password, setPassword] = useState('')
  const form = useSmallForm(() => write('token.allow', { body: { allowlist: entriesOf(typed), password } }))
  const isChanged = typed !== shown
  const isWrong = allowlistProblem(entriesOf(typed)) !== undefined
  return (
    <Panel title={settings.api.allowlist}>
      <SmallForm
        form={form}
        confirm={common.save}
        variant="outlined"
        isDisabled={isWrong || !isChanged || password === ''}
        maxWidth={720}
        onSubmit={async () => {
          if (isWrong || !(await form.submit())) return
          notify(settings.api.allowlistSaved, { type: 'success' })
          onChanged()
        }}
      >
        <AllowlistField typed={typed} wrong={form.wrong('allowlist')} onType={setTyped} />
        {isChanged && (
          <PasswordField
            value={password}
            onType={setPassword}
            wrong={form.wrong('password')}
            hint={settings.api.allowlistWhy}
          />
        )}
      </SmallForm>
    </Panel>
  )
}
