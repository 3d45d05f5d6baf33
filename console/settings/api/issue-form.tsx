import FormHelperText from '@mui/material/FormHelperText'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { TokenOptions } from '#derive/console/responses.ts'
import { allowlistProblem } from '#registry/tokens.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Lead, MutedText, Panel } from '../../ui/panel.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'
import { ScopeMatrix } from '../matrices.tsx'
import { AllowlistField, entriesOf } from './allowlist-panel.tsx'

/** Issues the company’s token, with at most the rights of the issuer. */
export function IssueForm({ options, onIssued }: { options: TokenOptions; onIssued(token: string): void }) {
  const { api } = useTexts().settings
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [typed, setTyped] = useState('')
  const [lastDay, setLastDay] = useState('')
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const held = new Set(options.scopes.filter((scope) => scope.held).map(({ scope }) => scope))
  const form = useSmallForm(async ({ write }) => {
    const ends = lastDay === '' ? {} : { expires_at: endOf(lastDay).toISOString() }
    const body = { label, scopes, allowlist: entriesOf(typed), ...ends, password }
    const { data } = await write('token.issue', { body })
    onIssued(data.token)
  })
  const needsScope = isTried && scopes.length === 0 ? api.chooseScope : form.wrong('scopes')
  return (
    <Panel title={api.noToken}>
      <Lead>{api.noTokenLead}</Lead>
      <SmallForm
        form={form}
        confirm={api.issue}
        maxWidth={720}
        onSubmit={() => {
          setTried(true)
          if (scopes.length > 0 && allowlistProblem(entriesOf(typed)) === undefined) form.submit()
        }}
      >
        <SmallField label={api.label} required hint={api.labelHint} {...form.bindField('label', label, setLabel)} />
        <div>
          <Typography variant="h3">{api.scopes}</Typography>
          <MutedText mb={1}>{api.scopesHint}</MutedText>
          <ScopeMatrix label={api.scopes} chosen={scopes} held={held} onChange={setScopes} />
          {needsScope && <FormHelperText error>{needsScope}</FormHelperText>}
        </div>
        <AllowlistField typed={typed} wrong={form.wrong('allowlist')} onType={setTyped} />
        <SmallField
          label={api.lastDay}
          type="date"
          hint={api.lastDayHint}
          slotProps={{ inputLabel: { shrink: true }, htmlInput: { max: '9999-12-31' } }}
          {...form.bindField('expires_at', lastDay, setLastDay)}
        />
        <PasswordField required hint={api.passwordWhy} {...form.bindField('password', password, setPassword)} />
      </SmallForm>
    </Panel>
  )
}

/** Returns the local midnight after a day. */
function endOf(day: string): Date {
  const end = new Date(`${day}T00:00:00`)
  end.setDate(end.getDate() + 1)
  return end
}
