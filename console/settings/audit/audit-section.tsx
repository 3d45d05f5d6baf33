import Download from '@mui/icons-material/Download'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Paper from '@mui/material/Paper'
import Typography from '@mui/material/Typography'
import { useLocation, useNavigate } from 'react-admin'
import { addressOf } from '../../client/ask.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { PlainList, RowStack } from '../../ui/layout.tsx'
import { Empty, Lead } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { auditAddress, readAuditAddress } from '../paths.ts'
import { AuditEntryItem } from './audit-entry.tsx'
import { AuditFilters } from './audit-filters.tsx'

const perPage = 50

/** Lists sign-ins, changes of settings, exports and imports by pages. All of them can be exported as a file. */
export function AuditSection() {
  const { sections, audit } = useTexts().settings
  const navigate = useNavigate()
  const { filter, page } = readAuditAddress(useLocation().search)
  const { answer, error, reload } = useLoaded('audit.list', { query: { ...pageQuery(page, perPage), ...filter } })
  const total = answer?.meta.total ?? 0
  const isNarrowed = Object.keys(filter).length > 0
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
                startIcon={<Download />}
                href={addressOf(`audit.${type}`, { query: filter })}
                download
              >
                {audit[type]}
              </Button>
            ))}
          </Box>
        </RowStack>
        <AuditFilters
          values={filter}
          actorName={answer?.data.find(({ actor }) => actor)?.actor?.name}
          onChange={(values) => navigate(auditAddress(values))}
          onReload={reload}
        />
        <PendingContent error={error} retry={reload} isThere={!!answer} />
        {answer && !error && total === 0 && <Empty title={audit.none} lead={audit.noneLead} />}
        {answer && !error && total > 0 && (
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
