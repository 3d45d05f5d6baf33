import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import TextField from '@mui/material/TextField'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { allowlistProblem } from '#registry/allowlist.ts'
import { ask } from '../../client/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useSmallForm } from '../../ui/use-small-form.ts'
import { AllowlistField, entriesOf } from './allowlist-field.tsx'

/** From where the active token may be used. */
export function AllowlistPanel({ allowlist, onChanged }: { allowlist: readonly string[]; onChanged(): void }) {
  const { settings, common } = useTexts()
  const notify = useNotify()
  const shown = allowlist.map((entry) => entry.replace(/\/32$/, '')).join('\n')
  const [typed, setTyped] = useState(shown)
  const [password, setPassword] = useState('')
  const form = useSmallForm(() => ask('token.allow', { body: { allowlist: entriesOf(typed), password } }))
  const isChanged = typed !== shown
  const isWrong = allowlistProblem(entriesOf(typed)) !== undefined
  return (
    <Panel title={settings.api.allowlist}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (isWrong || !(await form.submit())) return
          notify(settings.api.allowlistSaved, { type: 'success' })
          onChanged()
        }}
      >
        <Box sx={{ display: 'grid', gap: 2, maxWidth: 720 }}>
          <AllowlistField typed={typed} wrong={form.wrong('allowlist')} onType={setTyped} />
          {isChanged && (
            <TextField
              type="password"
              label={settings.api.password}
              autoComplete="current-password"
              value={password}
              onChange={({ target }) => setPassword(target.value)}
              error={!!form.wrong('password')}
              helperText={form.wrong('password') ?? settings.api.allowlistWhy}
            />
          )}
          {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
          <Button
            type="submit"
            variant="outlined"
            loading={form.isBusy}
            disabled={isWrong || !isChanged || password === ''}
            sx={{ justifySelf: 'start' }}
          >
            {common.save}
          </Button>
        </Box>
      </form>
    </Panel>
  )
}
