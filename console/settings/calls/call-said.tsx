import Typography from '@mui/material/Typography'
import type { CallDetailsResult } from '#derive/console/responses.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Code } from '../../ui/layout.tsx'
import { MutedText, Panel } from '../../ui/panel.tsx'
import { CopyButton } from '../api/new-token.tsx'
import { curlOf } from './curl.ts'
import { formatBody } from './repeat.tsx'

type Details = NonNullable<CallDetailsResult['details']>

/** Shows request and answer of a call, or the reason why they are not shown. */
export function CallSaid({ call: { details, hidden, status } }: { call: CallDetailsResult }) {
  const { calls } = useTexts().settings
  if (!details) {
    return (
      <Panel title={calls.sent}>
        <Typography color="textSecondary">
          {hidden !== null && hidden !== 'not_kept' ? calls.hidden(hidden.needs) : calls.notKept}
        </Typography>
      </Panel>
    )
  }
  const { method, path, query, request_headers, request_body, request_state, request_bytes } = details
  const { answer_headers, answer_body, answer_state, answer_bytes } = details
  return (
    <>
      <Part
        title={calls.sent}
        line={`${method} ${path}${query === '' ? '' : `?${query}`}`}
        {...{ headers: request_headers, body: request_body, state: request_state, bytes: request_bytes }}
      />
      {request_state !== 'cut' && request_state !== 'left_out' && <Curl details={details} />}
      <Part
        title={calls.answer(status)}
        {...{ headers: answer_headers, body: answer_body, state: answer_state, bytes: answer_bytes }}
      />
    </>
  )
}

type PartProps = {
  title: string
  line?: string
  headers: { readonly [name: string]: string }
  body: string | null
  state: Details['request_state']
  bytes: number
}

function Part({ title, line, headers, body, state, bytes }: PartProps) {
  const { calls } = useTexts().settings
  const format = useFormat()
  const lines = [...(line ? [line] : []), ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  const note = {
    whole: undefined,
    masked: calls.masked,
    cut: calls.cut,
    left_out: calls.leftOut(format.number(bytes)),
  }[state]
  return (
    <Panel title={title}>
      <Code aria-label={title}>{[lines.join('\n'), body && formatBody(body)].filter(Boolean).join('\n\n')}</Code>
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
      <Code aria-label={calls.curl}>{text}</Code>
      <MutedText mt={1}>{calls.curlHint}</MutedText>
    </Panel>
  )
}
