import Add from '@mui/icons-material/Add'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { Account } from '#derive/console/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ListRow } from '../../ui/list-row.tsx'
import { Muted } from '../../ui/panel.tsx'
import { Pending } from '../../ui/pending.tsx'
import { AccountDialog } from './account-dialog.tsx'

/** Who may sign in, and what each may do. */
export function AccountsSection() {
  const { settings, common } = useTexts()
  const { accounts } = settings
  const me = useMe()
  const { data, error, reload } = useLoaded('accounts.list')
  const [edited, setEdited] = useState<Account | 'new'>()
  if (error || !data) return <Pending error={error} retry={reload} />
  return (
    <>
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center', justifyContent: 'space-between', mb: 2 }}
      >
        <Typography color="textSecondary">{accounts.lead}</Typography>
        <Button variant="contained" startIcon={<Add />} onClick={() => setEdited('new')}>
          {accounts.add}
        </Button>
      </Box>
      <Paper>
        <Box component="ul" aria-label={settings.sections.accounts} sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {data.map((account) => (
            <ListRow
              key={account.id}
              main={
                <>
                  <Typography sx={{ fontWeight: 600 }}>
                    {account.name} {account.id === me.account.id && `(${accounts.you})`}
                  </Typography>
                  <Muted sx={{ overflowWrap: 'anywhere' }}>
                    {account.email} · {accounts.rights(account.permissions.length)}
                  </Muted>
                </>
              }
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
        </Box>
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
