import Typography from '@mui/material/Typography'
import type { Failure } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Entry, PlainList } from '../../ui/layout.tsx'
import { Lead, Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { callPath, callsAddress } from '../paths.ts'

/** Lists repeated refusals in groups, with links to their calls. */
export function Failures() {
  const { calls } = useTexts().settings
  const { data, error, reload } = useLoaded('calls.failures')
  return (
    <Panel title={calls.failures}>
      {error && <Trouble error={error} retry={reload} />}
      {data && <Lead mb={data.length > 0 ? 1 : 0}>{data.length > 0 ? calls.failuresLead : calls.noFailures}</Lead>}
      {data && data.length > 0 && (
        <PlainList aria-label={calls.failures}>
          {data.map((failure) => (
            <Line key={`${failure.code} ${failure.route} ${failure.about}`} failure={failure} />
          ))}
        </PlainList>
      )}
    </Panel>
  )
}

function Line({ failure: { code, route, about, count, since, last_id } }: { failure: Failure }) {
  const { calls } = useTexts().settings
  const format = useFormat()
  const what = `${route} · ${code}${about === null ? '' : ` ${calls.on} ${about}`}`
  const filter = { code, route, ...(about === null ? {} : { about }), from: since.slice(0, 10) }
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
