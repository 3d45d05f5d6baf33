import { mdiDownload } from '@mdi/js'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useLocation, useNavigate } from 'ra-core'
import type { AuditEntry } from '../../client/answers.ts'
import { addressOf } from '../../client/ask.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PlainList, RowStack } from '../../ui/layout.tsx'
import { Empty, Lead, MutedText } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { Select } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { SettingsChanges } from '../history/history-section.tsx'
import { LogFilters } from '../log-filters.tsx'
import { type AuditFilter, auditAddress, readAuditAddress } from '../paths.ts'

const perPage = 50

/** Lists sign-ins, changes of settings, exports and imports by pages. All of them can be exported as a file. */
export function AuditSection() {
  const { sections, audit, history } = useTexts().settings
  const navigate = useNavigate()
  const { filter, page } = readAuditAddress(useLocation().search)
  const { answer, error, reload } = useLoaded('audit.list', { query: { ...pageQuery(page, perPage), ...filter } })
  const total = answer?.meta.total ?? 0
  const isNarrowed = Object.keys(filter).length > 0
  const actorName = answer?.data.find(({ actor }) => actor)?.actor?.name
  const set = (name: string, value: string) => navigate(auditAddress({ ...filter, [name]: value }))
  const choices = [
    { name: 'records', label: audit.records, options: history.kinds },
    { name: 'action', label: audit.action, options: audit.actions },
  ] as const
  return (
    <>
      <Lead>{audit.lead}</Lead>
      <Paper component="section" aria-labelledby="audit-found" sx={{ mb: 2, p: { xs: 2, sm: 2.5 } }}>
        <RowStack spacing={2} mb={1.5}>
          <Typography id="audit-found" variant="h2">
            {answer ? audit.found(total) : audit.all}
          </Typography>
          {isNarrowed && <TextLink to={auditAddress()}>{audit.clear}</TextLink>}
          <Box sx={{ ml: { sm: 'auto' }, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            {(['csv', 'json'] as const).map((type) => (
              <Button
                key={type}
                size="small"
                variant="outlined"
                startIcon={<Icon path={mdiDownload} />}
                href={addressOf(`audit.${type}`, { query: filter })}
                download
              >
                {audit[type]}
              </Button>
            ))}
          </Box>
        </RowStack>
        <LogFilters
          idPrefix="audit"
          width={160}
          mb={1}
          labels={audit}
          values={filter}
          chips={[{ name: 'actor', label: `${audit.actor}: ${quote(actorName ?? filter.actor)}` }]}
          onSet={set}
          onReload={reload}
        >
          {choices.map(({ name, label, options }) => (
            <Select
              key={name}
              id={`audit-${name}`}
              label={label}
              value={filter[name] ?? ''}
              options={[
                { value: '', text: audit.any },
                ...Object.entries(options).map(([value, text]) => ({ value, text })),
              ]}
              onChange={(value) => set(name, value)}
            />
          ))}
        </LogFilters>
        <PendingContent error={error} retry={reload} isThere={!!answer} />
        {answer && total === 0 && <Empty title={audit.none} lead={audit.noneLead} />}
        {answer && total > 0 && (
          <>
            <PlainList as="ol" aria-label={sections.audit}>
              {answer.data.map((entry) => (
                <AuditEntryItem key={entry.id} entry={entry} filter={filter} />
              ))}
            </PlainList>
            <Paging listing={{ page, perPage, total, setPage: (next) => navigate(auditAddress(filter, next)) }} />
          </>
        )}
      </Paper>
    </>
  )
}

type AuditEntryItemProps = { entry: AuditEntry; filter: AuditFilter }

/** Shows one entry: the action and its object, the author, the time, the address and the changes. */
function AuditEntryItem({ entry, filter }: AuditEntryItemProps) {
  const { settings, history } = useTexts()
  const { audit } = settings
  const format = useFormat()
  const { action, actor, channel, peer, forwarded_for: claim, device, request_id: request } = entry
  const kind = settings.history.kinds[entry.records] ?? entry.records
  const isFailure = action === 'sign_in_failed'
  const nobody = isFailure ? audit.somebody : history.system
  const origins = [
    history.door[channel],
    peer && settings.api.from(quote(peer)),
    claim && audit.claims(quote(claim)),
    device && quote(device),
    request && audit.request(request),
  ]
  return (
    <Box component="li" sx={{ py: 1.25, borderBottom: 1, borderColor: 'divider', '&:last-of-type': { border: 0 } }}>
      <Typography>
        <Box component="strong" sx={{ color: isFailure ? 'error.main' : undefined }}>
          {audit.actions[action] ?? action}
        </Box>
        {' · '}
        {kind} {entry.title && <Foreign text={entry.title} />}
      </Typography>
      <Typography>
        <time dateTime={entry.at}>{format.exactly(entry.at)}</time>
        {' · '}
        {actor ? (
          <TextLink
            to={auditAddress({ ...filter, actor: String(actor.id) })}
            underline="always"
            aria-label={audit.ofAccount(quote(actor.name))}
          >
            <Foreign text={actor.name} />
          </TextLink>
        ) : (
          nobody
        )}
      </Typography>
      <SettingsChanges {...entry} />
      <MutedText>{origins.filter(Boolean).join(' · ')}</MutedText>
    </Box>
  )
}
