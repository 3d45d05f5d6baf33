import { useState } from 'react'
import { allowlistProblem } from '#registry/tokens.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'

/** Shows and changes the addresses from which the active token may be used. */
export function AllowlistPanel({ allowlist, onChanged }: { allowlist: readonly string[]; onChanged(): void }) {
  const { settings, common } = useTexts()
  const shown = allowlist.map((entry) => entry.replace(/\/32$/, '')).join('\n')
  const [typed, setTyped] = useState(shown)
  const [password, setPassword] = useState('')
  const form = useSmallForm(async ({ write, say }) => {
    await write('token.allow', { body: { allowlist: entriesOf(typed), password } })
    say(settings.api.allowlistSaved)
    onChanged()
  })
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
        onSubmit={() => isWrong || form.submit()}
      >
        <AllowlistField typed={typed} wrong={form.wrong('allowlist')} onType={setTyped} />
        {isChanged && (
          <PasswordField hint={settings.api.allowlistWhy} {...form.bindField('password', password, setPassword)} />
        )}
      </SmallForm>
    </Panel>
  )
}

type AllowlistFieldProps = { typed: string; wrong?: string | undefined; onType(typed: string): void }

/** The input of the addresses that may use the token, checked while they are typed. */
export function AllowlistField({ typed, wrong, onType }: AllowlistFieldProps) {
  const { settings } = useTexts()
  const own = allowlistProblem(entriesOf(typed))
  const problem = own === undefined ? wrong : settings.api.allowlistProblem(own)
  return (
    <SmallField
      multiline
      minRows={2}
      label={settings.api.allowlist}
      value={typed}
      onType={onType}
      wrong={problem}
      hint={settings.api.allowlistHint}
    />
  )
}

/** Parses the typed addresses, separated by line breaks or commas. */
export const entriesOf = (typed: string): string[] => typed.split(/[\s,;]+/).filter((entry) => entry !== '')
