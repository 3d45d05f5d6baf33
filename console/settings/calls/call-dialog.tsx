import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import type { CallOpened } from '#derive/console/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { pathOf } from '../../records/paths.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { Marks } from './call-table.tsx'

/** One call in full; a refused one says which check refused it and what to do. */
export function CallDialog({ id, onClose }: { id: number; onClose(): void }) {
  const { calls } = useTexts().settings
  const { data: call, error } = useLoaded('calls.fetch', { id })
  return (
    <AskFirst open title={calls.one} onClose={onClose}>
      {error && <Trouble error={error} />}
      {!call && !error && <Waiting />}
      {call && <CallText call={call} onFollow={onClose} />}
    </AskFirst>
  )
}

function CallText({ call, onFollow }: { call: CallOpened; onFollow(): void }) {
  const { settings, common } = useTexts()
  const { calls } = settings
  const format = useFormat()
  const [records = ''] = call.route.split('.')
  const facts = [
    [calls.time, format.exactly(call.at)],
    [calls.route, call.route],
    [
      calls.record,
      call.record_id && (
        <TextLink key="record" to={pathOf(records, call.record_id)} onClick={onFollow}>
          #{call.record_id}
        </TextLink>
      ),
    ],
    [calls.operations, call.rows],
    [calls.status, call.status],
    [calls.code, call.code],
    [calls.outcome, calls.outcomes[call.outcome] ?? call.outcome],
    [calls.duration, `${format.number(Math.round(call.ms * 10) / 10)} ms`],
    [calls.peer, call.peer],
    [calls.token, call.token_label],
    [calls.counted, call.counted ? common.yes : common.no],
    [calls.marks, call.dry_run || call.replayed || !call.token_active ? <Marks key="marks" call={call} /> : null],
    [calls.request, call.request_id],
  ] as const
  return (
    <>
      {call.advice && (
        <Alert severity="warning" variant="outlined" sx={{ mb: 2 }}>
          {call.gate && (
            <div>
              <strong>{calls.gate}:</strong> {calls.gates[call.gate] ?? call.gate}
            </div>
          )}
          <strong>{calls.advice}:</strong> {call.advice}
        </Alert>
      )}
      <Box
        component="dl"
        sx={{ display: 'grid', gridTemplateColumns: '120px 1fr', rowGap: 0.75, m: 0, overflowWrap: 'anywhere' }}
      >
        {facts
          .filter(([, value]) => value !== null && value !== '' && value !== undefined)
          .map(([name, value]) => (
            <Box key={name} sx={{ display: 'contents' }}>
              <Box component="dt" sx={{ color: 'text.secondary' }}>
                {name}
              </Box>
              <Box component="dd" sx={{ m: 0, minWidth: 0 }}>
                {value}
              </Box>
            </Box>
          ))}
      </Box>
    </>
  )
}
