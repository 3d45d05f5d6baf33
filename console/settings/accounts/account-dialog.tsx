import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import FormHelperText from '@mui/material/FormHelperText'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { Account } from '#derive/console/responses.ts'
import { permissions as allPermissions, approvalPermissions, fieldPermissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Bare } from '../../ui/layout.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { FormDialog, PasswordField, SmallField, useSmallForm } from '../../ui/small-form.tsx'
import { ScopeMatrix } from '../matrices.tsx'

const managementRights = allPermissions.filter((code) => code.endsWith('_MANAGE'))

type AccountDialogProps = { account: Account | null; onClose(): void; onSaved(): void }

/** Changes an account and its rights. Nobody can give rights that he lacks himself. */
export function AccountDialog({ account, onClose, onSaved }: AccountDialogProps) {
  const { settings, common } = useTexts()
  const { accounts } = settings
  const me = useMe()
  const [name, setName] = useState(account?.name ?? '')
  const [email, setEmail] = useState(account?.email ?? '')
  const [password, setPassword] = useState('')
  const [own, setOwn] = useState('')
  const needsOwn = account !== null && (password !== '' || email.trim() !== account.email)
  const [permissions, setPermissions] = useState<string[]>(account?.permissions ?? [])
  const [disabled, setDisabled] = useState(account?.disabled ?? false)
  const form = useSmallForm(async ({ write, say }) => {
    const body = { name, email, permissions, ...(password === '' ? {} : { password }) }
    await (account
      ? write('accounts.update', {
          id: account.id,
          body: { ...body, disabled, ...(needsOwn ? { own_password: own } : {}) },
        })
      : write('accounts.create', { body }))
    say(accounts.saved)
    onSaved()
  })
  // Rights that the account has can be ticked too, so that they can be removed.
  const held = new Set([...me.account.permissions, ...(account?.permissions ?? [])])
  const toggle = (code: string, yes: boolean) =>
    setPermissions(yes ? [...permissions, code] : permissions.filter((other) => other !== code))
  return (
    <FormDialog
      form={form}
      title={account ? accounts.edit(account.name) : accounts.add}
      confirm={account ? common.save : common.create}
      isDisabled={needsOwn && own === ''}
      onClose={onClose}
    >
      <SmallField label={accounts.name} autoComplete="off" {...form.bindField('name', name, setName)} />
      <SmallField label={accounts.email} autoComplete="off" {...form.bindField('email', email, setEmail)} />
      {!account?.service && (
        <NewPasswordField
          label={account ? accounts.newPassword : accounts.password}
          owner={{ email, name, company: me.company.name }}
          hint={account ? `${accounts.passwordHint} ${accounts.keepPassword}` : undefined}
          {...form.bindField('password', password, setPassword)}
        />
      )}
      {needsOwn && (
        <PasswordField
          label={accounts.ownPassword}
          hint={accounts.ownPasswordWhy}
          {...form.bindField('own_password', own, setOwn)}
        />
      )}
      <div>
        <Typography variant="h3">{accounts.permissions}</Typography>
        <ScopeMatrix
          label={accounts.permissions}
          resources={registry}
          chosen={permissions}
          held={held}
          onChange={setPermissions}
        />
      </div>
      {[
        { title: accounts.fields, codes: fieldPermissions },
        { title: accounts.approvals, codes: approvalPermissions(registry) },
        { title: accounts.office, codes: managementRights },
      ].map(({ title, codes }) => (
        <Bare key={title}>
          <Typography variant="h3" component="legend">
            {title}
          </Typography>
          {codes.map((code) => (
            <FormControlLabel
              key={code}
              sx={{ display: 'flex' }}
              disabled={!held.has(code)}
              label={accounts.otherRights[code] ?? code}
              control={
                <Checkbox
                  size="small"
                  checked={permissions.includes(code)}
                  onChange={({ target }) => toggle(code, target.checked)}
                />
              }
            />
          ))}
        </Bare>
      ))}
      {form.wrong('permissions') && <FormHelperText error>{form.wrong('permissions')}</FormHelperText>}
      {account && account.id !== me.account.id && (
        <FormControlLabel
          label={accounts.disable}
          control={<Checkbox checked={disabled} onChange={({ target }) => setDisabled(target.checked)} />}
        />
      )}
    </FormDialog>
  )
}
