import Typography from '@mui/material/Typography'
import type { ReactNode } from 'react'
import type { HistoryEntry } from '#derive/console/responses.ts'
import type { Json } from '#registry/json.ts'
import { channelOf } from '../../records/history/history.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Entry } from '../../ui/layout.tsx'

type SettingsEntryProps = { entry: HistoryEntry; did?: { [action: string]: string }; what?: ReactNode }

/** Shows one change of settings: author, action, channel, time, and the differences. */
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

/**
 * Shows an old and a new value. Shows a first value alone, only the added and removed entries of a list, and of a
 * password only that it was changed.
 */
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

/** Members of exports and imports that have one value and never an old one. */
const facts = ['resource', 'rows', 'format', 'write_id', 'exported_at']
