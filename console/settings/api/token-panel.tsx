import Button from '@mui/material/Button'
import FormHelperText from '@mui/material/FormHelperText'
import Typography from '@mui/material/Typography'
import { useLocation, useNotify } from 'ra-core'
import { type ComponentProps, useState } from 'react'
import { allowlistProblem } from '#registry/tokens.ts'
import type { Token } from '../../client/answers.ts'
import { ask } from '../../client/ask.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { rawText } from '../../texts/raw-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Bullets, Buttons } from '../../ui/layout.tsx'
import { FactList, MutedText, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { FormDialog, PasswordDialog, PasswordField, SmallField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'
import { callerName, EndAlert } from '../banners.tsx'
import { ScopeMatrix } from '../matrices.tsx'
import { changeTokenPath } from '../paths.ts'

type TokenAction = 'show' | 'rotate' | 'revoke' | 'change'
type Question = Omit<ComponentProps<typeof PasswordDialog>, 'onClose' | 'children'>

type TokenPanelProps = {
  token: Token
  onToken(title: string, text: string): void
  onChanged(): void
  onRevoked(): void
}

/** Shows the active token with its rights, its last use and its actions. */
export function TokenPanel({ token, onToken, onChanged, onRevoked }: TokenPanelProps) {
  const { api, fields } = useTexts().settings
  const format = useFormat()
  const notify = useNotify()
  const write = useWrite()
  const [asked, setAsked] = useState<TokenAction | undefined>(
    useLocation().pathname === changeTokenPath ? 'change' : undefined,
  )
  const close = () => setAsked(undefined)
  // An older process beside this version does not say.
  const lacking = token.lacking ?? []
  const lastUsed = token.last_used_at
    ? [format.moment(token.last_used_at), token.last_peer && api.from(quote(token.last_peer))].filter(Boolean).join(' ')
    : api.neverUsed
  const questions: { readonly [asked in TokenAction]?: Question } = {
    show: {
      title: api.show,
      lead: api.passwordWhy,
      confirm: api.show,
      send: async (password) =>
        onToken(quote(token.label), (await ask('token.show', { body: { password } })).data.token),
    },
    rotate: {
      isDangerous: true,
      title: api.rotateTitle,
      lead: api.rotateLead,
      confirm: api.rotate,
      send: async (password) => {
        const { data } = await write('token.rotate', { body: { password } })
        onToken(api.rotated, data.token)
        onChanged()
      },
    },
    revoke: {
      isDangerous: true,
      title: api.revokeTitle,
      lead: api.revokeLead,
      confirm: api.revoke,
      send: async (password) => {
        await write('token.revoke', { body: { password } })
        notify(api.revoked, { type: 'success' })
        onRevoked()
      },
    },
  }
  const question = asked && questions[asked]
  return (
    <>
      <EndAlert token={token} />
      <Panel title={quote(token.label)}>
        <FactList
          facts={[
            [api.account, <Foreign text={token.account?.name} />],
            [api.issuedBy, token.issued_by?.name ? <Foreign text={token.issued_by.name} /> : api.operator],
            [api.created, format.moment(token.created_at)],
            [api.ends, token.expires_at ? format.moment(token.expires_at) : api.neverEnds],
            [api.lastUsed, lastUsed],
          ]}
        />
        <ScopeMatrix isReadOnly label={fields.scopes} chosen={token.scopes} />
        <Buttons>
          <Button variant="outlined" disabled={lacking.length > 0} onClick={() => setAsked('show')}>
            {api.show}
          </Button>
          <Button variant="outlined" disabled={lacking.length > 0} onClick={() => setAsked('rotate')}>
            {api.rotate}
          </Button>
          <Button variant="outlined" onClick={() => setAsked('change')}>
            {api.change}
          </Button>
          <Button variant="outlined" color="error" onClick={() => setAsked('revoke')}>
            {api.revoke}
          </Button>
        </Buttons>
        {lacking.length > 0 && <MutedText mt={1}>{api.needsRights(lacking)}</MutedText>}
      </Panel>
      <AllowlistPanel key={token.allowlist.join()} allowlist={token.allowlist.map(rawText)} onChanged={onChanged} />
      {question && (
        <PasswordDialog {...question} onClose={close}>
          {question.isDangerous && <Callers />}
        </PasswordDialog>
      )}
      {asked === 'change' && <ChangeDialog token={token} onClose={close} onChanged={onChanged} />}
    </>
  )
}

type ChangeDialogProps = { token: Token; onClose(): void; onChanged(): void }

/** Changes the label or the rights of the active token. */
function ChangeDialog({ token, onClose, onChanged }: ChangeDialogProps) {
  const { settings, common } = useTexts()
  const { api, fields } = settings
  const { account } = useMe()
  const [label, setLabel] = useState(rawText(token.label))
  const [scopes, setScopes] = useState(token.scopes)
  const [password, setPassword] = useState('')
  const form = useSmallForm(async ({ write, say }) => {
    await write('token.change', { body: { label, scopes, password } })
    say(api.changed)
    onChanged()
  })
  return (
    <FormDialog
      form={form}
      title={api.changeTitle}
      confirm={common.save}
      isDisabled={password === '' || scopes.length === 0}
      onClose={onClose}
    >
      <Typography>{api.changeLead}</Typography>
      <SmallField label={fields.label} {...form.bindField('label', label, setLabel)} />
      <div>
        <ScopeMatrix
          label={fields.scopes}
          chosen={scopes}
          held={new Set([...account.permissions, ...token.scopes])}
          onChange={setScopes}
        />
        {form.wrong('scopes') && <FormHelperText error>{form.wrong('scopes')}</FormHelperText>}
        {scopes.length === 0 && <FormHelperText error>{api.chooseScope}</FormHelperText>}
      </div>
      <PasswordField {...form.bindField('password', password, setPassword)} />
    </FormDialog>
  )
}

/** Lists the programs that use the token now, and would be refused without it. */
function Callers() {
  const { api } = useTexts().settings
  const format = useFormat()
  const { data, error } = useLoaded('token.callers')
  return (
    <Typography component="div" gutterBottom>
      <Typography variant="h3" gutterBottom>
        {api.callingNow}
      </Typography>
      <PendingContent error={error} isThere={!!data} />
      {data?.length === 0 && <Typography color="textSecondary">{api.callingNobody}</Typography>}
      {data && data.length > 0 && (
        <Bullets aria-label={api.callingNow}>
          {data.map((caller) => (
            <li key={String(caller.peer)}>
              {api.caller(callerName(caller, api.unknownAddress), caller.count, format.moment(caller.last_at))}
            </li>
          ))}
        </Bullets>
      )}
    </Typography>
  )
}

/** Shows and changes the addresses from which the active token may be used. */
function AllowlistPanel({ allowlist, onChanged }: { allowlist: readonly string[]; onChanged(): void }) {
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
    <Panel title={settings.fields.allowlist}>
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
      label={settings.fields.allowlist}
      value={typed}
      onType={onType}
      wrong={problem}
      hint={settings.api.allowlistHint}
    />
  )
}

/** Parses the typed addresses, separated by line breaks or commas. */
export const entriesOf = (typed: string): string[] => typed.split(/[\s,;]+/).filter((entry) => entry !== '')
