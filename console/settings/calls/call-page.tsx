import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { CallDetailsResult, RepeatResult } from '../../client/answers.ts'
import { ask } from '../../client/ask.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { rawText } from '../../texts/raw-text.ts'
import { problemText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Bullets, Code } from '../../ui/layout.tsx'
import { FactList, Lead, MutedText, Note, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { CopyButton } from '../api/new-token.tsx'
import { callsAddress, changeTokenPath } from '../paths.ts'
import { Marks } from './call-table.tsx'
import { bodyMax, curlOf, formatBody, formatMessage } from './call-text.ts'

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
          <Panel title={`${call.method} ${quote(call.details?.path ?? call.path)}`}>
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
  const tokenAdvice = call.token_ended_at === null ? calls.accountDisabled : calls.tokenGone
  const errors = problem?.errors.map((error) => ({ field: error.field, said: problemText(error, texts) }))
  const fields = errors ?? (about ?? []).map((field) => ({ field, said: '' }))
  return (
    <Note severity="error">
      {gate && (
        <div>
          <strong>{calls.gate}:</strong> {calls.gates[gate] ?? gate}
        </div>
      )}
      {lacking ? (
        <LackingNotice lacking={lacking} />
      ) : (
        fields.length === 0 && <div>{problem && <Foreign text={problem.detail} />}</div>
      )}
      {!lacking && fields.length > 0 && (
        <Bullets aria-label={calls.problems} mt={0.5} mb={0.5}>
          {fields.map(({ field, said }) => (
            <li key={`${String(field)} ${said}`}>
              <strong>
                <Foreign text={field} />
              </strong>{' '}
              {said}
            </li>
          ))}
        </Bullets>
      )}
      {!lacking && (
        <div>
          <strong>{calls.advice}:</strong>{' '}
          {code === 'unauthorized' ? tokenAdvice : (calls.advices[code] ?? <Foreign text={call.advice} />)}
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
        <TextLink to={pathOf(records, call.record_id)}>#{call.record_id}</TextLink>
      ),
    ],
    [calls.operations, call.rows],
    [calls.status, call.status],
    [calls.code, call.code],
    [calls.outcome, calls.outcomes[call.outcome] ?? call.outcome],
    [calls.duration, `${format.number(Math.round(call.ms * 10) / 10)} ms`],
    [calls.peer, call.peer && <TextLink to={callsAddress({ peer: rawText(call.peer) })}>{quote(call.peer)}</TextLink>],
    [calls.token, <TextLink to={callsAddress({ token: String(call.token_id) })}>{quote(call.token_label)}</TextLink>],
    [calls.client, call.client && <Foreign text={call.client} />],
    [calls.counted, call.counted ? common.yes : common.no],
    [calls.marks, call.dry_run || call.replayed ? <Marks call={call} /> : null],
    [calls.request, call.request_id],
  ] as const
  return <FactList isBeside facts={facts} />
}

const withSentQuery = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`)

type Details = NonNullable<CallDetailsResult['details']>

/** Shows request and answer of a call, or the reason why they are not shown. */
function CallSaid({ call: { details, hidden, status } }: { call: CallDetailsResult }) {
  const { calls } = useTexts().settings
  if (!details) {
    return (
      <Panel title={calls.request}>
        <Typography color="textSecondary">
          {hidden !== null && hidden !== 'not_kept' ? calls.hidden(quote(hidden.needs)) : calls.notKept}
        </Typography>
      </Panel>
    )
  }
  const { method, path, query, request_state } = details
  const line = `${method} ${withSentQuery(rawText(path), rawText(query))}`
  return (
    <>
      <Part title={calls.request} line={line} side="request" details={details} />
      {request_state !== 'cut' && request_state !== 'left_out' && <Curl details={details} />}
      <Part title={calls.answer(status)} side="answer" details={details} />
    </>
  )
}

type PartProps = { title: string; line?: string; side: 'request' | 'answer'; details: Details }

function Part({ title, line, side, details }: PartProps) {
  const { calls } = useTexts().settings
  const format = useFormat()
  const [headers, body] = [details[`${side}_headers`], details[`${side}_body`]]
  const note = {
    whole: undefined,
    masked: calls.masked,
    cut: calls.cut,
    left_out: calls.leftOut(format.number(details[`${side}_bytes`])),
  }[details[`${side}_state`]]
  return (
    <Panel title={title}>
      <Code aria-label={title}>
        <Foreign text={formatMessage({ line, headers, body })} max={bodyMax} />
      </Code>
      {note && <MutedText mt={1}>{note}</MutedText>}
    </Panel>
  )
}

function Curl({ details }: { details: Details }) {
  const { calls } = useTexts().settings
  const { data } = useLoaded('token.options')
  if (!data) return null
  const text = curlOf(details, data.base_url)
  return (
    <Panel title={calls.curl} aside={<CopyButton text={text} label={calls.copyCurl} />}>
      <Code aria-label={calls.curl}>
        <Foreign text={text} max={bodyMax} />
      </Code>
      <MutedText mt={1}>{calls.curlHint}</MutedText>
    </Panel>
  )
}

/** Repeats a call as a dry-run, with the rights of the reader. */
function Repeat({ call: { id, repeatable } }: { call: CallDetailsResult }) {
  const { calls } = useTexts().settings
  const [said, setSaid] = useState<RepeatResult>()
  const form = useSmallForm(async () => setSaid((await ask('calls.dry-run', { id })).data))
  if (repeatable !== 'yes') {
    return (
      <Panel title={calls.repeat}>
        <Typography color="textSecondary">{calls.notRepeatable[repeatable]}</Typography>
      </Panel>
    )
  }
  return (
    <Panel title={calls.repeat}>
      <Lead mb={1.5}>{calls.repeatLead}</Lead>
      <Button variant="outlined" loading={form.isBusy} onClick={() => form.submit()}>
        {calls.repeat}
      </Button>
      <Text component="div" aria-live="polite" mt={2}>
        {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
        {said && (
          <>
            <Note severity={said.status < 400 ? 'success' : 'error'} mb={1}>
              {said.status < 400 ? calls.repeated.well(said.status) : calls.repeated.refused(said.status)}
            </Note>
            <Code aria-label={calls.answer(said.status)}>
              <Foreign text={formatBody(said.body)} max={bodyMax} />
            </Code>
          </>
        )}
      </Text>
    </Panel>
  )
}
