import Box from '@mui/material/Box'
import Typography from '@mui/material/Typography'
import type { AuditEntry } from '#derive/console/responses.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { MutedText } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Difference } from '../history/settings-entry.tsx'
import { type AuditFilter, auditAddress } from '../paths.ts'

type AuditEntryItemProps = { entry: AuditEntry; filter: AuditFilter }

/** Shows one entry: the action and its object, the author, the time, the address and the changes. */
export function AuditEntryItem({ entry, filter }: AuditEntryItemProps) {
  const { settings, history } = useTexts()
  const { audit } = settings
  const format = useFormat()
  const { action, actor, channel, peer, forwarded_for: claim, device, request_id: request } = entry
  const kind = settings.history.kinds[entry.records] ?? entry.records
  const isFailure = action === 'sign_in_failed'
  const nobody = isFailure ? audit.somebody : history.system
  const origins = [
    history.door[channel],
    peer && audit.from(peer),
    claim && audit.claims(claim),
    device,
    request && audit.request(request),
  ]
  return (
    <Box component="li" sx={{ py: 1.25, borderBottom: 1, borderColor: 'divider', '&:last-of-type': { border: 0 } }}>
      <Typography>
        <Box component="strong" sx={{ color: isFailure ? 'error.main' : undefined }}>
          {audit.actions[action] ?? action}
        </Box>
        {' · '}
        {[kind, entry.title].filter(Boolean).join(' ')}
      </Typography>
      <Typography>
        <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        {' · '}
        {actor ? (
          <TextLink
            to={auditAddress({ ...filter, actor: String(actor.id) })}
            underline="always"
            aria-label={audit.ofAccount(actor.name)}
          >
            {actor.name}
          </TextLink>
        ) : (
          nobody
        )}
      </Typography>
      {Object.entries(entry.changes ?? {}).map(([name, change]) => (
        <Typography key={name} variant="body2">
          {settings.history.fields[name] ?? name}: <Difference name={name} change={change} />
        </Typography>
      ))}
      <MutedText>{origins.filter(Boolean).join(' · ')}</MutedText>
    </Box>
  )
}
