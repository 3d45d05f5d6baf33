import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import FormHelperText from '@mui/material/FormHelperText'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { TokenOptions } from '#derive/console/answers.ts'
import { allowlistProblem } from '#registry/allowlist.ts'
import { ask } from '../../client/ask.ts'
import { served } from '../../shell/places.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useSmallForm } from '../../ui/use-small-form.ts'
import { AllowlistField, entriesOf } from './allowlist-field.tsx'
import { ScopeMatrix } from './scope-matrix.tsx'

/** Issues the company’s token, for no more than the issuer may do. */
export function IssueForm({ options, onIssued }: { options: TokenOptions; onIssued(token: string): void }) {
  const { settings } = useTexts()
  const { api } = settings
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const held = new Set(options.scopes.filter((scope) => scope.held).map(({ scope }) => scope))
  const form = useSmallForm(async () => {
    const body = { label, scopes, allowlist: entriesOf(typed), password }
    const { data } = await ask('token.issue', { body })
    onIssued(data.token)
  })
  const needsScope = isTried && scopes.length === 0 ? api.chooseScope : form.wrong('scopes')
  return (
    <Panel title={api.noToken}>
      <Typography color="textSecondary" sx={{ mb: 2 }}>
        {api.noTokenLead}
      </Typography>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (scopes.length > 0 && allowlistProblem(entriesOf(typed)) === undefined) form.submit()
        }}
      >
        <Box sx={{ display: 'grid', gap: 2.5, maxWidth: 720 }}>
          <TextField
            label={api.label}
            required
            value={label}
            onChange={({ target }) => setLabel(target.value)}
            error={!!form.wrong('label')}
            helperText={form.wrong('label') ?? api.labelHint}
          />
          <Box>
            <Typography variant="h3" component="h3">
              {api.scopes}
            </Typography>
            <Typography variant="body2" color="textSecondary" sx={{ mb: 1 }}>
              {api.scopesHint}
            </Typography>
            <ScopeMatrix
              label={api.scopes}
              resources={served.map(({ name }) => name)}
              chosen={scopes}
              held={held}
              onChange={setScopes}
            />
            {needsScope && <FormHelperText error>{needsScope}</FormHelperText>}
          </Box>
          <AllowlistField typed={typed} wrong={form.wrong('allowlist')} onType={setTyped} />
          <TextField
            type="password"
            label={api.password}
            autoComplete="current-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
            error={!!form.wrong('password')}
            helperText={form.wrong('password') ?? api.passwordWhy}
          />
          {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
          <Button type="submit" variant="contained" loading={form.isBusy} sx={{ justifySelf: 'start' }}>
            {api.issue}
          </Button>
        </Box>
      </form>
    </Panel>
  )
}
