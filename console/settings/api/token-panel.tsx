import Button from '@mui/material/Button'
import { type ComponentProps, useState } from 'react'
import { useLocation, useNotify } from 'react-admin'
import type { Token } from '#derive/console/responses.ts'
import { ask } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Buttons } from '../../ui/layout.tsx'
import { FactList, MutedText, Panel } from '../../ui/panel.tsx'
import { ScopeMatrix } from '../matrices.tsx'
import { changeTokenPath } from '../paths.ts'
import { AllowlistPanel } from './allowlist-panel.tsx'
import { Callers } from './callers.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { EndAlert } from './end-banner.tsx'
import { PasswordDialog } from './password-dialog.tsx'

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
  const { api } = useTexts().settings
  const me = useMe()
  const format = useFormat()
  const notify = useNotify()
  const write = useWrite()
  const [asked, setAsked] = useState<TokenAction | undefined>(
    useLocation().pathname === changeTokenPath ? 'change' : undefined,
  )
  const close = () => setAsked(undefined)
  const missing = token.scopes.find((scope) => !me.holds(scope))
  const lastUsed = token.last_used_at
    ? [format.moment(token.last_used_at), token.last_peer && api.from(token.last_peer)].filter(Boolean).join(' ')
    : api.neverUsed
  const questions: { readonly [asked in TokenAction]?: Question } = {
    show: {
      title: api.show,
      lead: api.passwordWhy,
      confirm: api.show,
      send: async (password) => onToken(token.label, (await ask('token.show', { body: { password } })).data.token),
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
      <Panel title={token.label}>
        <FactList
          facts={[
            [api.account, token.account?.name ?? '–'],
            [api.issuedBy, token.issued_by?.name ?? api.operator],
            [api.created, format.moment(token.created_at)],
            [api.ends, token.expires_at ? format.moment(token.expires_at) : api.neverEnds],
            [api.lastUsed, lastUsed],
          ]}
        />
        <ScopeMatrix isReadOnly label={api.scopes} chosen={token.scopes} />
        <Buttons>
          <Button variant="outlined" disabled={missing !== undefined} onClick={() => setAsked('show')}>
            {api.show}
          </Button>
          <Button variant="outlined" disabled={missing !== undefined} onClick={() => setAsked('rotate')}>
            {api.rotate}
          </Button>
          <Button variant="outlined" onClick={() => setAsked('change')}>
            {api.change}
          </Button>
          <Button variant="outlined" color="error" onClick={() => setAsked('revoke')}>
            {api.revoke}
          </Button>
        </Buttons>
        {missing !== undefined && <MutedText mt={1}>{api.needsScope(missing)}</MutedText>}
      </Panel>
      <AllowlistPanel key={token.allowlist.join()} allowlist={token.allowlist} onChanged={onChanged} />
      {question && (
        <PasswordDialog {...question} onClose={close}>
          {question.isDangerous && <Callers />}
        </PasswordDialog>
      )}
      {asked === 'change' && <ChangeDialog token={token} onClose={close} onChanged={onChanged} />}
    </>
  )
}
