import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import type { OwnSession } from '#derive/console/answers.ts'
import { ask } from '../client/ask.ts'
import type { Loaded } from '../client/use-loaded.ts'
import { useFormat } from '../texts/format.ts'
import { errorText } from '../texts/refused.ts'
import { useTexts } from '../texts/texts.tsx'
import { Panel } from '../ui/panel.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { deviceOf } from './device.ts'

/** Where one is signed in; each can be ended, and all others at once. */
export function OwnSessions({ sessions: { data, error, reload } }: { sessions: Loaded<'sessions.list'> }) {
  const texts = useTexts()
  const { profile } = texts
  const notify = useNotify()
  const [trouble, setTrouble] = useState<string>()
  const [busy, setBusy] = useState<number | 'others'>()

  async function end(which: number | 'others'): Promise<void> {
    setBusy(which)
    setTrouble(undefined)
    try {
      notify(await ended(which), { type: 'success' })
    } catch (refused) {
      setTrouble(errorText(refused, texts))
    }
    await reload()
    setBusy(undefined)
  }

  async function ended(which: number | 'others'): Promise<string> {
    if (which === 'others') return profile.endedOthers((await ask('sessions.end-others')).data.ended)
    await ask('sessions.end', { id: which })
    return profile.ended
  }

  return (
    <Panel title={profile.sessions}>
      <Typography color="textSecondary" sx={{ mb: 1 }}>
        {profile.sessionsLead}
      </Typography>
      {trouble && <Alert severity="error">{trouble}</Alert>}
      {error && <Trouble error={error} retry={reload} />}
      {!data && !error && <Waiting />}
      {data && (
        <Box component="ul" aria-label={profile.sessions} sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {data.map((session) => (
            <SessionItem
              key={session.id}
              session={session}
              isBusy={busy === session.id}
              onEnd={() => end(session.id)}
            />
          ))}
        </Box>
      )}
      {data && data.length > 1 && (
        <Button variant="outlined" loading={busy === 'others'} onClick={() => end('others')} sx={{ mt: 2 }}>
          {profile.endOthers}
        </Button>
      )}
    </Panel>
  )
}

type SessionItemProps = { session: OwnSession; isBusy: boolean; onEnd(): void }

function SessionItem({ session, isBusy, onEnd }: SessionItemProps) {
  const { profile } = useTexts()
  const format = useFormat()
  const { browser, system } = deviceOf(session.device)
  const device = browser && system ? profile.on(browser, system) : (browser ?? system ?? profile.unknownDevice)
  const { peer, forwarded_for } = session
  const address = peer && forwarded_for ? profile.via(forwarded_for, peer) : peer
  const facts = [
    address,
    profile.since(format.moment(session.created_at)),
    profile.seen(format.moment(session.last_seen_at)),
  ]
  return (
    <Box
      component="li"
      sx={{
        ...{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center', py: 1.5 },
        ...{ borderBottom: 1, borderColor: 'divider' },
      }}
    >
      <Box sx={{ flex: '1 1 220px', minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600 }} title={session.device ?? undefined}>
          {device}
        </Typography>
        <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
          {facts.filter(Boolean).join(' · ')}
        </Typography>
      </Box>
      {session.is_this ? (
        <Chip size="small" variant="outlined" color="success" label={profile.thisSession} />
      ) : (
        <Button variant="outlined" size="small" loading={isBusy} aria-label={profile.endOne(device)} onClick={onEnd}>
          {profile.end}
        </Button>
      )}
    </Box>
  )
}
