import FormHelperText from '@mui/material/FormHelperText'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { Token } from '#derive/console/responses.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FormDialog, PasswordField, SmallField, useSmallForm } from '../../ui/small-form.tsx'
import { ScopeMatrix } from '../matrices.tsx'

type ChangeDialogProps = { token: Token; onClose(): void; onChanged(): void }

/** Changes the label or the rights of the active token. */
export function ChangeDialog({ token, onClose, onChanged }: ChangeDialogProps) {
  const { settings, common } = useTexts()
  const { api } = settings
  const { account } = useMe()
  const [label, setLabel] = useState(token.label)
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
      <SmallField label={api.label} {...form.bindField('label', label, setLabel)} />
      <div>
        <ScopeMatrix
          label={api.scopes}
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
