import Add from '@mui/icons-material/Add'
import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { Account } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { PlainList, RowStack } from '../../ui/layout.tsx'
import { ListRow } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { AccountDialog } from './account-dialog.tsx'

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
        <Button variant="contained" startIcon={<Add />} onClick={() => setEdited('new')}>
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
                  {account.name} {account.id === me.account.id && `(${accounts.you})`}
                </>
              }
              about={`${account.email} · ${accounts.rights(account.permissions.length)}`}
            >
              <Chip
                color={account.disabled || account.service ? 'default' : 'success'}
                label={account.disabled ? accounts.disabled : account.service ? accounts.service : accounts.enabled}
              />
              <Button
                variant="outlined"
                size="small"
                aria-label={accounts.edit(account.name)}
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
