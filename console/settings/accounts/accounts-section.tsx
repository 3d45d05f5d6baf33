import { mdiPlus } from '@mdi/js'
import Button from '@mui/material/Button'
import Checkbox from '@mui/material/Checkbox'
import Chip from '@mui/material/Chip'
import FormControlLabel from '@mui/material/FormControlLabel'
import FormHelperText from '@mui/material/FormHelperText'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { givesAccess } from '#derive/console/confirmed.ts'
import { approvalPermissions, companyPermissions, fieldPermissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import type { Account } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { rawText } from '../../texts/raw-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Bare, PlainList, RowStack } from '../../ui/layout.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { ListRow } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { FormDialog, PasswordField, SmallField, useSmallForm } from '../../ui/small-form.tsx'
import { ScopeMatrix } from '../matrices.tsx'

/** Lists the accounts with their rights. */
export function AccountsSection() {
  const { settings, common } = useTexts()
  const { accounts } = settings
  const me = useMe()
  const { data, error, reload } = useLoaded('accounts.list')
  const [edited, setEdited] = useState<Account | 'new'>()
  if (error || !data) return <PendingContent error={error} retry={reload} />
  return (
    <>
      <RowStack isSpread spacing={2} mb={2}>
        <Typography color="textSecondary">{accounts.lead}</Typography>
        <Button variant="contained" startIcon={<Icon path={mdiPlus} />} onClick={() => setEdited('new')}>
          {accounts.add}
        </Button>
      </RowStack>
      <Paper>
        <PlainList aria-label={settings.sections.accounts}>
          {data.map((account) => (
            <ListRow
              key={account.id}
              title={
                <>
                  <Foreign text={account.name} /> {account.id === me.account.id && `(${accounts.you})`}
                </>
              }
              about={
                <>
                  <Foreign text={account.email} /> · {accounts.rights(account.permissions.length)}
                </>
              }
            >
              <Chip
                color={account.disabled || account.service ? 'default' : 'success'}
                label={
                  account.disabled ? settings.fields.disabled : account.service ? accounts.service : accounts.enabled
                }
              />
              <Button
                variant="outlined"
                size="small"
                aria-label={common.editOne(quote(account.name))}
                onClick={() => setEdited(account)}
              >
                {common.edit}
              </Button>
            </ListRow>
          ))}
        </PlainList>
      </Paper>
      {edited && (
        <AccountDialog
          account={edited === 'new' ? null : edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => reload().then(me.reload)}
        />
      )}
    </>
  )
}

type AccountDialogProps = { account: Account | null; onClose(): void; onSaved(): void }

/** Changes an account and its rights. Nobody can give rights that he lacks himself. */
function AccountDialog({ account, onClose, onSaved }: AccountDialogProps) {
  const { settings, common, commonFields, profile, signIn } = useTexts()
  const { accounts } = settings
  const me = useMe()
  const [name, setName] = useState(account ? rawText(account.name) : '')
  const [email, setEmail] = useState(account ? rawText(account.email) : '')
  const [password, setPassword] = useState('')
  const [own, setOwn] = useState('')
  const [permissions, setPermissions] = useState<string[]>(account?.permissions ?? [])
  const [disabled, setDisabled] = useState(account?.disabled ?? false)
  const wanted = { permissions, ...(password === '' ? {} : { password }) }
  const form = useSmallForm(async ({ write, say }) => {
    const body = { name, email, ...wanted, ...(own === '' ? {} : { own_password: own }) }
    await (account
      ? write('accounts.update', { id: account.id, body: { ...body, disabled } })
      : write('accounts.create', { body }))
    say(accounts.saved)
    onSaved()
  })
  const isGiving = givesAccess(account && { ...account, email: rawText(account.email) }, {
    ...wanted,
    email: email.trim(),
    disabled,
  })
  // The service asks for it too if somebody else has changed the account meanwhile.
  const needsOwn = form.wrong('own_password') !== undefined || isGiving
  // Rights that the account has can be ticked too, so that they can be removed.
  const held = new Set([...me.account.permissions, ...(account?.permissions ?? [])])
  const toggle = (code: string, yes: boolean) =>
    setPermissions(yes ? [...permissions, code] : permissions.filter((other) => other !== code))
  return (
    <FormDialog
      form={form}
      title={account ? common.editOne(quote(account.name)) : accounts.add}
      confirm={account ? common.save : common.create}
      isDisabled={needsOwn && own === ''}
      onClose={onClose}
    >
      <SmallField label={commonFields.name} autoComplete="off" {...form.bindField('name', name, setName)} />
      <SmallField label={commonFields.email} autoComplete="off" {...form.bindField('email', email, setEmail)} />
      {!account?.service && (
        <NewPasswordField
          label={account ? profile.next : signIn.password}
          owner={{ email, name, company: rawText(me.company.name) }}
          hint={account ? `${accounts.passwordHint} ${accounts.keepPassword}` : undefined}
          {...form.bindField('password', password, setPassword)}
        />
      )}
      <div>
        <Typography variant="h3">{settings.fields.permissions}</Typography>
        <ScopeMatrix
          label={settings.fields.permissions}
          resources={registry}
          chosen={permissions}
          held={held}
          onChange={setPermissions}
        />
      </div>
      {[
        { title: accounts.fields, codes: fieldPermissions },
        { title: accounts.approvals, codes: approvalPermissions(registry) },
        { title: accounts.office, codes: companyPermissions },
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
              checked={permissions.includes(code)}
              onChange={(_, isOn) => toggle(code, isOn)}
              control={<Checkbox size="small" />}
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
      {/* Last, so that nothing moves under a click on a right. */}
      {needsOwn && (
        <PasswordField
          label={settings.ownPassword}
          hint={accounts.ownPasswordWhy}
          {...form.bindField('own_password', own, setOwn)}
        />
      )}
    </FormDialog>
  )
}
