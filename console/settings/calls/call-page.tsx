import Typography from '@mui/material/Typography'
import type { CallDetailsResult } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { problemText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { FactList, Note, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { callsAddress, changeTokenPath } from '../paths.ts'
import { CallSaid } from './call-said.tsx'
import { Marks } from './call-table.tsx'
import { Repeat } from './repeat.tsx'

/** Shows one call: the reason of a refusal and its remedy, request and answer, and a repetition as a dry-run. */
export function CallPage({ id }: { id: number }) {
  const { calls } = useTexts().settings
  const { data: call, error, reload } = useLoaded('calls.fetch', { id })
  return (
    <>
      <Typography component="div" gutterBottom>
        <TextLink to={callsAddress()}>{calls.all}</TextLink>
      </Typography>
      <PendingContent error={error} retry={reload} isThere={!!call} />
      {call && (
        <>
          <Panel title={calls.one(call.method, call.details?.path ?? call.path)}>
            <RefusedFacts call={call} />
            <Facts call={call} />
          </Panel>
          <CallSaid call={call} />
          {call.repeatable !== 'read' && <Repeat call={call} />}
        </>
      )}
    </>
  )
}

/** Shows the reason of a refusal, by fields if it is about fields, and the remedy. */
function RefusedFacts({ call }: { call: CallDetailsResult }) {
  const texts = useTexts()
  const { calls } = texts.settings
  const { code, gate, lacking, problem, about } = call
  if (code === null) return null
  const errors = problem?.errors.map((error) => ({ field: error.field, said: problemText(error, texts) }))
  const fields = errors ?? (about ?? []).map((field) => ({ field, said: '' }))
  return (
    <Note severity="error">
      {gate && (
        <div>
          <strong>{calls.gate}:</strong> {calls.gates[gate] ?? gate}
        </div>
      )}
      {lacking ? <LackingNotice lacking={lacking} /> : fields.length === 0 && <div>{problem?.detail}</div>}
      {!lacking && fields.length > 0 && (
        <Bullets aria-label={calls.problems} mt={0.5} mb={0.5}>
          {fields.map(({ field, said }) => (
            <li key={`${field} ${said}`}>
              <strong>{field}</strong> {said}
            </li>
          ))}
        </Bullets>
      )}
      {!lacking && (
        <div>
          <strong>{calls.advice}:</strong> <Advice call={call} />
        </div>
      )}
    </Note>
  )
}

function LackingNotice({ lacking: { scope, token, account } }: { lacking: NonNullable<CallDetailsResult['lacking']> }) {
  const { calls } = useTexts().settings
  const who = token ? (account ? 'none' : 'account') : account ? 'token' : 'neither'
  return (
    <div>
      {calls.lacking[who](scope)}{' '}
      {!token && (
        <TextLink underline="always" to={changeTokenPath}>
          {calls.changeScopes}
        </TextLink>
      )}
    </div>
  )
}

function Advice({ call: { code, advice, token_ended_at } }: { call: CallDetailsResult }) {
  const { calls } = useTexts().settings
  if (code === 'unauthorized') return token_ended_at === null ? calls.accountDisabled : calls.tokenGone
  return calls.advices[code ?? ''] ?? advice
}

function Facts({ call }: { call: CallDetailsResult }) {
  const { settings, common } = useTexts()
  const { calls } = settings
  const format = useFormat()
  const { may } = useMe()
  const [records = ''] = call.route.split('.')
  const facts = [
    [calls.time, format.exactly(call.at)],
    [calls.route, call.route],
    [
      calls.record,
      call.record_id && may(records, 'VIEW') && (
        <TextLink key="record" to={pathOf(records, call.record_id)}>
          #{call.record_id}
        </TextLink>
      ),
    ],
    [calls.operations, call.rows],
    [calls.status, call.status],
    [calls.code, call.code],
    [calls.outcome, calls.outcomes[call.outcome] ?? call.outcome],
    [calls.duration, `${format.number(Math.round(call.ms * 10) / 10)} ms`],
    [
      calls.peer,
      call.peer && (
        <TextLink key="peer" to={callsAddress({ peer: call.peer })}>
          {call.peer}
        </TextLink>
      ),
    ],
    [
      calls.token,
      <TextLink key="token" to={callsAddress({ token: String(call.token_id) })}>
        {call.token_label}
      </TextLink>,
    ],
    [calls.client, call.client],
    [calls.counted, call.counted ? common.yes : common.no],
    [calls.marks, call.dry_run || call.replayed ? <Marks key="marks" call={call} /> : null],
    [calls.request, call.request_id],
  ] as const
  return <FactList isBeside facts={facts} />
}
