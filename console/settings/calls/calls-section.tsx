import Box from '@mui/material/Box'
import FormControlLabel from '@mui/material/FormControlLabel'
import Paper from '@mui/material/Paper'
import Switch from '@mui/material/Switch'
import Typography from '@mui/material/Typography'
import { useLocation, useNavigate } from 'react-admin'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AtEnd, RowStack } from '../../ui/layout.tsx'
import { Empty, Lead, Panel } from '../../ui/panel.tsx'
import { PendingContent, Trouble } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { CopyButton } from '../api/new-token.tsx'
import { type CallFilter, callsAddress, firstDay, readCallsAddress } from '../paths.ts'
import { UsagePanel } from '../usage/usage-panel.tsx'
import { CallFilters } from './call-filters.tsx'
import { CallPage } from './call-page.tsx'
import { CallTable } from './call-table.tsx'
import { Failures } from './failures.tsx'

const perPage = 50

/** Shows the calls of the company: a chart by days, the failures and a list; or one opened call. */
export function CallsSection() {
  const { pathname, search } = useLocation()
  const id = Number(pathname.split('/')[3])
  return id > 0 ? <CallPage key={id} id={id} /> : <Calls search={search} />
}

function Calls({ search }: { search: string }) {
  const { filter, days, page } = readCallsAddress(search)
  return (
    <>
      <UsagePanel days={days} filter={filter} />
      <Failures />
      <CallList filter={filter} days={days} page={page} />
      <DetailsSwitch />
    </>
  )
}

type CallListProps = { filter: CallFilter; days: number; page: number }

function CallList({ filter, days, page }: CallListProps) {
  const { calls } = useTexts().settings
  const navigate = useNavigate()
  // Without a first day, the list begins with the chart, so that both show the same calls.
  const query = { ...pageQuery(page, perPage), from: firstDay(days), ...filter }
  const { answer, error, reload } = useLoaded('calls.list', { query })
  const total = answer?.meta.total ?? 0
  const isNarrowed = Object.keys(filter).length > 0
  return (
    <Paper component="section" aria-labelledby="calls-found" sx={{ mb: 2, overflow: 'hidden' }}>
      <Box sx={{ p: { xs: 2, sm: 2.5 }, pb: 0 }}>
        <RowStack spacing={2} mb={1.5}>
          <Typography id="calls-found" variant="h2">
            {answer ? calls.matching(total) : calls.all}
          </Typography>
          {isNarrowed && <TextLink to={callsAddress({}, { days })}>{calls.clear}</TextLink>}
          <AtEnd>
            <CopyButton text={window.location.href} label={calls.copyAddress} />
          </AtEnd>
        </RowStack>
        <CallFilters
          values={filter}
          onChange={(values) => navigate(callsAddress(values, { days }))}
          onReload={reload}
        />
      </Box>
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && !error && total === 0 && <Empty title={calls.none} lead={calls.noneLead} />}
      {answer && !error && total > 0 && (
        <>
          <CallTable calls={answer.data} />
          <Paging
            listing={{ page, perPage, total, setPage: (next) => navigate(callsAddress(filter, { days, page: next })) }}
          />
        </>
      )}
    </Paper>
  )
}

/** The company's switch for storing requests and answers. */
function DetailsSwitch() {
  const { calls } = useTexts().settings
  const { data, error, reload } = useLoaded('calls.details-switch')
  const keeps = data?.keeps ?? false
  const form = useSmallForm(async ({ write, say }) => {
    await write('calls.switch-details', { body: { keeps: !keeps } })
    say(keeps ? calls.keepingOff : calls.keepingOn)
    reload()
  })
  return (
    <Panel title={calls.keeping}>
      {error && <Trouble error={error} retry={reload} />}
      {data && (
        <>
          <Lead mb={1}>{data.kept_days === 0 ? calls.keepingNever : calls.keepingLead(data.kept_days)}</Lead>
          {data.kept_days > 0 && (
            <FormControlLabel
              label={calls.keepingSwitch}
              control={<Switch checked={keeps} disabled={form.isBusy} onChange={form.submit} />}
            />
          )}
        </>
      )}
    </Panel>
  )
}
