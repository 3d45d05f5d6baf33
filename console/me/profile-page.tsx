import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import TextField from '@mui/material/TextField'
import { useState } from 'react'
import type { OwnSession } from '../client/answers.ts'
import { type LoadResult, useLoaded } from '../client/use-loaded.ts'
import { quote } from '../texts/foreign.ts'
import { useFormat } from '../texts/format.ts'
import { rawText } from '../texts/raw-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { Buttons, PlainList } from '../ui/layout.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { Page } from '../ui/page.tsx'
import { Lead, ListRow, Panel } from '../ui/panel.tsx'
import { PendingContent } from '../ui/pending.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../ui/small-form.tsx'
import { useMe } from './me.tsx'

/** Shows one’s own account: name, e-mail, password and sessions. */
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

/** Changes one’s own name and e-mail address. Another address needs the password. */
function OwnData() {
  const { profile, common, commonFields } = useTexts()
  const { account, company, reload } = useMe()
  const [name, setName] = useState(rawText(account.name))
  const [email, setEmail] = useState(rawText(account.email))
  const [current, setCurrent] = useState('')
  const isOtherEmail = email.trim() !== rawText(account.email)
  const form = useSmallForm(async ({ write, say }) => {
    await write('me.update', { body: { name, email, ...(isOtherEmail ? { password: { current } } : {}) } })
    setCurrent('')
    say(profile.saved)
    reload()
  })
  return (
    <Panel title={profile.lead}>
      <SmallForm form={form} confirm={common.save} isDisabled={isOtherEmail && current === ''}>
        <SmallField label={commonFields.name} autoComplete="name" {...form.bindField('name', name, setName)} />
        <SmallField label={commonFields.email} autoComplete="email" {...form.bindField('email', email, setEmail)} />
        <TextField
          label={profile.company}
          value={company.id}
          helperText={profile.companyHint}
          slotProps={{ htmlInput: { readOnly: true } }}
        />
        {isOtherEmail && (
          <PasswordField
            label={profile.current}
            hint={profile.emailWhy}
            {...form.bindField('password.current', current, setCurrent)}
          />
        )}
      </SmallForm>
    </Panel>
  )
}

/** Changes one's own password, which ends every other session. */
function OwnPassword({ onChanged }: { onChanged(): void }) {
  const { profile } = useTexts()
  const { account, company } = useMe()
  const blank = { current: '', next: '', repeat: '' }
  const [typed, setTyped] = useState(blank)
  const form = useSmallForm(async ({ write, say }) => {
    await write('me.update', { body: { password: { current: typed.current, next: typed.next } } })
    setTyped(blank)
    say(profile.changed)
    onChanged()
  })
  const differs = typed.repeat !== '' && typed.repeat !== typed.next
  const wrongCurrent = form.wrong('password.current')
  return (
    <Panel title={profile.change}>
      <SmallForm
        form={form}
        confirm={profile.change}
        isDisabled={!typed.current || !typed.next || !typed.repeat}
        onSubmit={() => typed.next === typed.repeat && form.submit()}
      >
        <PasswordField
          label={profile.current}
          value={typed.current}
          onType={(current) => setTyped({ ...typed, current })}
          wrong={wrongCurrent}
        />
        <NewPasswordField
          label={profile.next}
          value={typed.next}
          owner={{ name: rawText(account.name), email: rawText(account.email), company: rawText(company.name) }}
          wrong={form.wrong('password.next', 'password')}
          onType={(next) => setTyped({ ...typed, next })}
        />
        <SmallField
          type="password"
          label={profile.repeat}
          value={typed.repeat}
          autoComplete="new-password"
          onType={(repeat) => setTyped({ ...typed, repeat })}
          wrong={differs ? profile.differs : undefined}
        />
      </SmallForm>
    </Panel>
  )
}

/** Lists one's own sessions. Each can be ended, or all others at once. */
function OwnSessions({ sessions }: { sessions: LoadResult<'sessions.list'> }) {
  const { data, error, reload } = sessions
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
  const { browser, system } = deviceOf(session.device && rawText(session.device))
  const device = browser && system ? profile.on(browser, system) : (browser ?? system ?? profile.unknownDevice)
  const { peer, forwarded_for } = session
  const address = peer && forwarded_for ? profile.via(quote(forwarded_for), quote(peer)) : peer && quote(peer)
  const facts = [
    address,
    profile.since(format.moment(session.created_at)),
    profile.seen(format.moment(session.last_seen_at)),
  ]
  return (
    <ListRow
      isTight
      title={device}
      hint={session.device ? quote(session.device) : undefined}
      about={facts.filter(Boolean).join(' · ')}
    >
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
