import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { CallDetailsResult, RepeatResult } from '#derive/console/responses.ts'
import { ask } from '../../client/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Code } from '../../ui/layout.tsx'
import { Lead, Note, Panel, Text } from '../../ui/panel.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'

/** Repeats a call as a dry-run, with the rights of the reader. */
export function Repeat({ call: { id, repeatable } }: { call: CallDetailsResult }) {
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
            <Code aria-label={calls.answer(said.status)}>{formatBody(said.body)}</Code>
          </>
        )}
      </Text>
    </Panel>
  )
}

/** Formats a body. Indents JSON; returns cut JSON and any other text unchanged. */
export function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
