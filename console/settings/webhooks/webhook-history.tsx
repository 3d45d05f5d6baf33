import Box from '@mui/material/Box'
import { useLoaded } from '../../client/use-loaded.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { SettingsEntry } from '../history/settings-entry.tsx'

/** Who changed the settings of a webhook, and what the service did by itself. */
export function WebhookHistory({ id }: { id: number }) {
  const { settings, history } = useTexts()
  const { webhooks } = settings
  const { data, error, reload } = useLoaded('webhooks.history', { id })
  return (
    <Panel title={webhooks.history}>
      {error && <Trouble error={error} retry={reload} />}
      {!data && !error && <Waiting />}
      <Box component="ol" aria-label={history.lead} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {data?.map((entry) => (
          <SettingsEntry key={entry.id} entry={entry} did={webhooks.did} />
        ))}
      </Box>
    </Panel>
  )
}
