import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import { useState } from 'react'
import type { OwnSession } from '#derive/console/responses.ts'
import type { LoadResult } from '../client/use-loaded.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
import { Buttons, PlainList } from '../ui/layout.tsx'
import { Lead, ListRow, Panel } from '../ui/panel.tsx'
import { PendingContent } from '../ui/pending.tsx'
import { useSmallForm } from '../ui/small-form.tsx'

/** Lists one's own sessions. Each can be ended, or all others at once. */
export function OwnSessions({ sessions: { data, error, reload } }: { sessions: LoadResult<'sessions.list'> }) {
  const { profile } = useTexts()
  const [busy, setBusy] = useState<number | 'others'>()
  const form = useSmallForm(async ({ write, say }, which: number | 'others') => {
    if (which === 'others') return say(profile.endedOthers((await write('sessions.end-others')).data.ended))
    await write('sessions.end', { id: which })
    say(profile.ended)
  })

  async function end(which: number | 'others'): Promise<void> {
    setBusy(which)
    await form.submit(which)
    await reload()
    setBusy(undefined)
  }

  return (
    <Panel title={profile.sessions}>
      <Lead mb={1}>{profile.sessionsLead}</Lead>
      {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
      <PendingContent error={error} retry={reload} isThere={!!data} />
      {data && (
        <PlainList aria-label={profile.sessions}>
          {data.map((session) => (
            <SessionItem
              key={session.id}
              session={session}
              isBusy={busy === session.id}
              onEnd={() => end(session.id)}
            />
          ))}
        </PlainList>
      )}
      {data && data.length > 1 && (
        <Buttons>
          <Button variant="outlined" loading={busy === 'others'} onClick={() => end('others')}>
            {profile.endOthers}
          </Button>
        </Buttons>
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
    <ListRow isTight title={device} hint={session.device ?? undefined} about={facts.filter(Boolean).join(' · ')}>
      {session.is_this ? (
        <Chip color="success" label={profile.thisSession} />
      ) : (
        <Button variant="outlined" size="small" loading={isBusy} aria-label={profile.endOne(device)} onClick={onEnd}>
          {profile.end}
        </Button>
      )}
    </ListRow>
  )
}

/** Returns the browser and the system of a user agent, by the names that people use. Leaves out unknown ones. */
function deviceOf(userAgent: string | null): { browser?: string; system?: string } {
  const first = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  return { browser: first(browsers), system: first(systems) }
}

// Many browsers also name the browser that they imitate, so the more specific ones come first.
const browsers = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

const systems = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const
