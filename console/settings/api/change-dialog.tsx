import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import FormHelperText from '@mui/material/FormHelperText'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import type { Token } from '#derive/console/answers.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { served } from '../../shell/places.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { useSmallForm } from '../../ui/use-small-form.ts'
import { ScopeMatrix } from './scope-matrix.tsx'

type ChangeDialogProps = { token: Token; onClose(): void; onChanged(): void }

/** Another label, or other rights, for the token that there is. */
export function ChangeDialog({ token, onClose, onChanged }: ChangeDialogProps) {
  const { settings, common } = useTexts()
  const { api } = settings
  const { account } = useMe()
  const notify = useNotify()
  const [label, setLabel] = useState(token.label)
  const [scopes, setScopes] = useState(token.scopes)
  const [password, setPassword] = useState('')
  const write = useWrite()
  const form = useSmallForm(() => write('token.change', { body: { label, scopes, password } }))
  return (
    <AskFirst
      open
      wide
      title={api.changeTitle}
      confirm={common.save}
      isBusy={form.isBusy}
      isDisabled={password === '' || scopes.length === 0}
      onConfirm={async () => {
        if (!(await form.submit())) return
        notify(api.changed, { type: 'success' })
        onChanged()
        onClose()
      }}
      onClose={onClose}
    >
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <Typography>{api.changeLead}</Typography>
        <TextField
          label={api.label}
          value={label}
          onChange={({ target }) => setLabel(target.value)}
          error={!!form.wrong('label')}
          helperText={form.wrong('label')}
        />
        <Box>
          <ScopeMatrix
            label={api.scopes}
            resources={served.map(({ name }) => name)}
            chosen={scopes}
            held={new Set([...account.permissions, ...token.scopes])}
            onChange={setScopes}
          />
          {form.wrong('scopes') && <FormHelperText error>{form.wrong('scopes')}</FormHelperText>}
          {scopes.length === 0 && <FormHelperText error>{api.chooseScope}</FormHelperText>}
        </Box>
        <TextField
          type="password"
          label={api.password}
          autoComplete="current-password"
          value={password}
          onChange={({ target }) => setPassword(target.value)}
          error={!!form.wrong('password')}
          helperText={form.wrong('password')}
        />
        {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
      </Box>
    </AskFirst>
  )
}
