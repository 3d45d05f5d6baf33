import Typography from '@mui/material/Typography'
import type { ReactNode } from 'react'
import type { HistoryEntry } from '#derive/console/responses.ts'
import type { Json } from '#registry/json.ts'
import { channelOf } from '../../records/history/history.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Entry } from '../../ui/layout.tsx'

type SettingsEntryProps = { entry: HistoryEntry; did?: { [action: string]: string }; what?: ReactNode }

/** One thing that somebody did in Settings: who, what, by which channel, when, and what is different. */
export function SettingsEntry({ entry, did, what }: SettingsEntryProps) {
  const { settings, history } = useTexts()
  const format = useFormat()
  const changes = Object.entries(entry.changes ?? {}).filter(([, change]) => Array.isArray(change))
  return (
    <Entry>
      <Typography>
        {what && <>{what} · </>}
        <strong>{entry.who?.name ?? history.system}</strong>{' '}
        {did?.[entry.action] ?? settings.history.did[entry.action] ?? entry.action}{' '}
        <Typography component="span" color="textSecondary">
          {channelOf(entry, history)} · <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        </Typography>
      </Typography>
      {changes.map(([name, change]) => (
        <Typography key={name} variant="body2">
          {settings.history.fields[name] ?? name}: <Difference name={name} change={change} />
        </Typography>
      ))}
    </Entry>
  )
}

/** Old and new; of something that never had another value that alone; of a list only what came and what went; of a password that there is another. */
export function Difference({ name, change: [old, now] }: { name: string; change: [Json, Json] }) {
  const { settings, common } = useTexts()
  const { history } = settings
  const shown = (value: Json): string => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return history.nothing
    if (typeof value === 'boolean') return value ? common.yes : common.no
    if (Array.isArray(value)) return value.join(', ')
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  if (name === 'password') return history.newValue
  if (old === null && facts.includes(name)) return shown(now)
  if (!Array.isArray(old) || !Array.isArray(now)) return `${shown(old)} → ${shown(now)}`
  const parts = [
    [history.added, now.filter((item) => !old.includes(item))],
    [history.removed, old.filter((item) => !now.includes(item))],
  ] as const
  return parts.flatMap(([word, items]) => (items.length === 0 ? [] : [`${word}: ${items.join(', ')}`])).join('; ')
}

/** Of exports and imports: they were never otherwise. */
const facts = ['resource', 'rows', 'format', 'write_id', 'exported_at']
