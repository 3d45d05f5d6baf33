import Box from '@mui/material/Box'
import { useLoaded } from '../client/use-loaded.ts'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'
import { OwnData } from './own-data.tsx'
import { OwnPassword } from './own-password.tsx'
import { OwnSessions } from './own-sessions.tsx'

/** One’s own account: name, e-mail, password, and where it is signed in. */
export function ProfilePage() {
  const { profile } = useTexts()
  const sessions = useLoaded('sessions.list')
  return (
    <Page title={profile.title} lead={profile.lead}>
      <Box
        sx={{ display: 'grid', columnGap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, alignItems: 'start' }}
      >
        <OwnData />
        <OwnPassword onChanged={() => sessions.reload()} />
        <Box sx={{ gridColumn: { md: '1 / -1' }, minWidth: 0 }}>
          <OwnSessions sessions={sessions} />
        </Box>
      </Box>
    </Page>
  )
}
