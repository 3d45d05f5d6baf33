import Box from '@mui/material/Box'
import FormControlLabel from '@mui/material/FormControlLabel'
import MenuItem from '@mui/material/MenuItem'
import Paper from '@mui/material/Paper'
import Switch from '@mui/material/Switch'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useLocation, useNavigate } from 'ra-core'
import { refusals } from '#registry/refusals.ts'
import type { Failure } from '../../client/answers.ts'
import { pageQuery } from '../../client/record-provider.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { Paging } from '../../records/list/paging.tsx'
import { servedDefinitions } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { rawText } from '../../texts/raw-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AtEnd, Entry, PlainList, RowStack } from '../../ui/layout.tsx'
import { Empty, Lead, Panel } from '../../ui/panel.tsx'
import { PendingContent, Trouble } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { CopyButton } from '../api/new-token.tsx'
import { LogFilters } from '../log-filters.tsx'
import { type CallFilter, callPath, callsAddress, firstDay, readCallsAddress } from '../paths.ts'
import { CallPage } from './call-page.tsx'
import { CallTable } from './call-table.tsx'
import { UsagePanel } from './usage-panel.tsx'

const perPage = 50

/** Shows the calls of the company: a chart by days, the failures and a list; or one opened call. */
export function CallsSection() {
  const { pathname, search } = useLocation()
  const id = Number(pathname.split('/')[3])
  if (id > 0) return <CallPage key={id} id={id} />
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
          {isNarrowed && <TextLink to={callsAddress({}, { days })}>{calls.all}</TextLink>}
          <AtEnd>
            <CopyButton text={window.location.href} label={calls.copyAddress} />
          </AtEnd>
        </RowStack>
        <CallFilters
          values={filter}
          onSet={(name, value) => navigate(callsAddress({ ...filter, [name]: value }, { days }))}
          onReload={reload}
        />
      </Box>
      <PendingContent error={error} retry={reload} isThere={!!answer} />
      {answer && total === 0 && <Empty title={calls.none} lead={calls.noneLead} />}
      {answer && total > 0 && (
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
  const { calls, fields } = useTexts().settings
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
              label={fields.keeps_details}
              control={<Switch checked={keeps} disabled={form.isBusy} onChange={form.submit} />}
            />
          )}
        </>
      )}
    </Panel>
  )
}

type CallFiltersProps = { values: CallFilter; onSet(name: string, value: string): void; onReload(): void }

function CallFilters({ values, onSet, onReload }: CallFiltersProps) {
  const { calls } = useTexts().settings
  const { many } = useRecordTexts()
  const resources = servedDefinitions.map(({ name }): [string, string] => [name, many(name)])
  const { route } = values
  const isRoute = route !== undefined && !resources.some(([name]) => name === route)
  const choices = [
    { name: 'outcome', label: calls.outcome, options: Object.entries(calls.outcomes) },
    {
      name: 'route',
      label: calls.route,
      options: isRoute ? [...resources, [route, quote(route)] as const] : resources,
    },
    { name: 'code', label: calls.code, options: Object.keys(refusals).map((code): [string, string] => [code, code]) },
  ] as const
  return (
    <LogFilters
      idPrefix="call"
      width={145}
      mb={2}
      labels={calls}
      values={values}
      chips={(['about', 'peer', 'token', 'status'] as const).map((name) => ({
        name,
        label: `${calls[name]}: ${quote(values[name])}`,
      }))}
      onSet={onSet}
      onReload={onReload}
    >
      {choices.map(({ name, label, options }) => (
        <TextField
          key={name}
          select
          id={`call-${name}`}
          label={label}
          value={values[name] ?? ''}
          onChange={({ target }) => onSet(name, target.value)}
        >
          <MenuItem value="">
            <em>{calls.any}</em>
          </MenuItem>
          {options.map(([value, shown]) => (
            <MenuItem key={value} value={value} dense>
              {shown}
            </MenuItem>
          ))}
        </TextField>
      ))}
    </LogFilters>
  )
}

/** Lists repeated refusals in groups, with links to their calls. */
function Failures() {
  const { calls } = useTexts().settings
  const { data, error, reload } = useLoaded('calls.failures')
  return (
    <Panel title={calls.failures}>
      {error && <Trouble error={error} retry={reload} />}
      {data && <Lead mb={data.length > 0 ? 1 : 0}>{data.length > 0 ? calls.failuresLead : calls.noFailures}</Lead>}
      {data && data.length > 0 && (
        <PlainList aria-label={calls.failures}>
          {data.map((failure) => (
            <Line key={`${failure.code} ${failure.route} ${String(failure.about)}`} failure={failure} />
          ))}
        </PlainList>
      )}
    </Panel>
  )
}

function Line({ failure: { code, route, about, count, since, last_id } }: { failure: Failure }) {
  const { calls } = useTexts().settings
  const format = useFormat()
  const what = `${route} · ${code}${about === null ? '' : ` ${calls.on} ${quote(about)}`}`
  const filter = { code, route, ...(about === null ? {} : { about: rawText(about) }), from: since.slice(0, 10) }
  return (
    <Entry sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, alignItems: 'baseline', py: 0.75 }}>
      <TextLink to={callsAddress(filter)} aria-label={calls.showFailures(what)} variant="subtitle1">
        {what}
      </TextLink>
      <Typography color="error" variant="subtitle2">
        {calls.failure(count, format.moment(since))}
      </Typography>
      <TextLink
        to={callPath(last_id)}
        variant="body2"
        sx={{ ml: { sm: 'auto' } }}
        aria-label={`${calls.lastFailure}: ${what}`}
      >
        {calls.lastFailure}
      </TextLink>
    </Entry>
  )
}
