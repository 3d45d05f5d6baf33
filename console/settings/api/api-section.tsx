import FormHelperText from '@mui/material/FormHelperText'
import Link from '@mui/material/Link'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { allowlistProblem } from '#registry/tokens.ts'
import type { TokenOptions } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Bullets, Code, Grow, RowStack } from '../../ui/layout.tsx'
import { Lead, MutedText, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'
import { ScopeMatrix } from '../matrices.tsx'
import { CopyButton, NewToken } from './new-token.tsx'
import { AllowlistField, entriesOf, TokenPanel } from './token-panel.tsx'

/** The company’s token, with issue, show, rotate and revoke, and the address of the API. */
export function ApiSection() {
  const { settings } = useTexts()
  const token = useLoaded('token.fetch')
  const options = useLoaded('token.options')
  const [shown, setShown] = useState<{ title: string; token: string }>()
  const error = token.error ?? options.error
  if (error || !token.answer || !options.data) return <PendingContent error={error} retry={token.reload} />
  return (
    <>
      <Lead>{settings.api.lead}</Lead>
      {shown && <NewToken lead={settings.api.issuedLead} {...shown} onClose={() => setShown(undefined)} />}
      {token.data ? (
        <TokenPanel
          token={token.data}
          onToken={(title, text) => setShown({ title, token: text })}
          onChanged={token.reload}
          onRevoked={() => {
            setShown(undefined)
            token.reload()
          }}
        />
      ) : (
        <IssueForm
          options={options.data}
          onIssued={(text) => {
            setShown({ title: settings.api.issued, token: text })
            token.reload()
          }}
        />
      )}
      <Documents base={options.data.base_url} curl={options.data.curl} />
    </>
  )
}

/** Issues the company’s token, with at most the rights of the issuer. */
function IssueForm({ options, onIssued }: { options: TokenOptions; onIssued(token: string): void }) {
  const { api, fields } = useTexts().settings
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
        <SmallField label={fields.label} required hint={api.labelHint} {...form.bindField('label', label, setLabel)} />
        <div>
          <Typography variant="h3">{fields.scopes}</Typography>
          <MutedText mb={1}>{api.scopesHint}</MutedText>
          <ScopeMatrix label={fields.scopes} chosen={scopes} held={held} onChange={setScopes} />
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

/** Shows the address of the API, a command to try it, and its documents. */
function Documents({ base, curl }: { base: string; curl: string }) {
  const { api } = useTexts().settings
  return (
    <Panel title={api.documents}>
      <CopiedNotice text={base} label={api.base} />
      <CopiedNotice text={curl} label={api.curl} />
      <MutedText gutterBottom>{api.curlHint}</MutedText>
      <Bullets>
        {(
          [
            ['/v1/docs', api.docs],
            ['/v1/openapi.json', api.openapi],
            ['/v1/postman.json', api.postman],
            ['/docs/errors', api.errorsPage],
          ] as const
        ).map(([address, label]) => (
          <li key={address}>
            <Link href={address} target="_blank" rel="noopener">
              {label}
            </Link>
          </li>
        ))}
      </Bullets>
    </Panel>
  )
}

const CopiedNotice = ({ text, label }: { text: string; label: string }) => (
  <>
    <Typography variant="h3" gutterBottom>
      {label}
    </Typography>
    <RowStack spacing={1} mb={1.5}>
      <Grow basis={300}>
        <Code aria-label={label}>{text}</Code>
      </Grow>
      <CopyButton text={text} />
    </RowStack>
  </>
)
