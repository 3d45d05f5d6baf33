import Box from '@mui/material/Box'
import Typography from '@mui/material/Typography'
import type { HistoryEntry } from '#derive/console/answers.ts'
import type { Json } from '#registry/json.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { channelOf } from '../../records/history/channel.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'

/** Who changed the settings of a webhook, and what the service did by itself. */
export function WebhookHistory({ id }: { id: number }) {
  const { settings, history } = useTexts()
  const { data, error, reload } = useLoaded('webhooks.history', { id })
  return (
    <Panel title={settings.webhooks.history}>
      {error && <Trouble error={error} retry={reload} />}
      {!data && !error && <Waiting />}
      <Box component="ol" aria-label={history.lead} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {data?.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </Box>
    </Panel>
  )
}

function Entry({ entry }: { entry: HistoryEntry }) {
  const { settings, history } = useTexts()
  const { webhooks } = settings
  const format = useFormat()
  const changes = Object.entries(entry.changes ?? {}).filter(([, change]) => Array.isArray(change))
  return (
    <Box component="li" sx={{ py: 1, borderBottom: 1, borderColor: 'divider' }}>
      <Typography sx={{ overflowWrap: 'anywhere' }}>
        <strong>{entry.who?.name ?? history.system}</strong> {webhooks.did[entry.action] ?? entry.action}{' '}
        <Typography component="span" color="textSecondary">
          {channelOf(entry, history)} · <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        </Typography>
      </Typography>
      {changes.map(([name, [old, now]]) => (
        <Typography key={name} variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          {webhooks.fields[name] ?? name}: {shown(old)} → {shown(now)}
        </Typography>
      ))}
    </Box>
  )
}

const shown = (value: Json): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)
