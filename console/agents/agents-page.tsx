import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import { useLocation } from 'ra-core'
import { listGoing } from '#derive/agent/going.ts'
import { agentReasonMax, agentRequestBytesMax } from '#registry/agents.ts'
import type { AgentPreviewResult } from '../client/answers.ts'
import { isRefused } from '../client/ask.ts'
import { useLoaded } from '../client/use-loaded.ts'
import { UndoButton } from '../records/history/history.tsx'
import { agentsPath } from '../shell/places.ts'
import { quote } from '../texts/foreign.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Details } from '../ui/layout.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, FactList, MutedText, Note, Panel } from '../ui/panel.tsx'
import { PendingContent } from '../ui/pending.tsx'
import { useSmallForm } from '../ui/small-form.tsx'
import { PlannedChanges } from './planned-changes.tsx'
import { PreviewRows, StateChip } from './preview-rows.tsx'
import { tellDecided } from './use-waiting.ts'

/** Shows the preview at the address, or all previews that the account may decide. */
export function AgentsPage() {
  const { pathname } = useLocation()
  const [, , id] = pathname.split('/')
  return id ? <PreviewPage key={id} id={id} /> : <PreviewList />
}

function PreviewList() {
  const { agents } = useTexts()
  const { data, error, reload } = useLoaded('agents.previews')
  const waiting = data?.filter(({ state }) => state === 'waiting') ?? []
  const others = data?.filter(({ state }) => state !== 'waiting') ?? []
  return (
    <Page title={agents.title} lead={agents.lead}>
      <PendingContent error={error} retry={reload} isThere={!!data} />
      {data?.length === 0 && <Empty title={agents.none} lead={agents.noneLead} />}
      {waiting.length > 0 && (
        <Panel title={agents.waiting}>
          <PreviewRows previews={waiting} />
        </Panel>
      )}
      {others.length > 0 && (
        <Panel title={agents.others}>
          <PreviewRows previews={others} />
        </Panel>
      )}
    </Page>
  )
}

const noPlan = { changes: [], would_delete: [] }

/** Shows the request of an agent: its words, its effect, and the decision. */
function PreviewPage({ id }: { id: string }) {
  const { agents } = useTexts()
  const { data, error, reload } = useLoaded('agents.preview', { id })
  const going = listGoing(data?.plan ?? noPlan, data?.operations ?? null)
  return (
    <Page
      title={agents.one}
      above={{ label: agents.title, to: agentsPath }}
      beside={data && <StateChip state={data.state} />}
    >
      {isRefused(error, 'insufficient_scope') ? (
        <Empty title={agents.mayNot} lead={agents.mayNotLead(error.body.required_scope ?? '')} />
      ) : (
        <PendingContent error={error} retry={reload} isThere={!!data} />
      )}
      {data && (
        <>
          <Outcome preview={data} onChange={reload} />
          <Words preview={data} />
          <Panel title={data.state === 'applied' ? agents.done : agents.plan}>
            <PlannedChanges plan={data.plan} going={going} named={data.named} isDone={data.state === 'applied'} />
            <SentOperations preview={data} />
          </Panel>
          <Decision preview={data} count={going.count} onDecided={reload} />
        </>
      )}
    </Page>
  )
}

type PreviewProps = { preview: AgentPreviewResult }

/** Shows the agent's own words as plain text, because nobody has checked them. */
function Words({ preview }: PreviewProps) {
  const { agents } = useTexts()
  const format = useFormat()
  const { why, client, token_label, because, created_at, expires_at, state } = preview
  const isOpen = ['open', 'waiting', 'approved'].includes(state)
  const facts = [
    [agents.claims, client === null ? agents.nothing : <Foreign text={client} />],
    [agents.token, <Foreign text={token_label} />],
    [agents.asked, <time dateTime={created_at}>{format.exactly(created_at)}</time>],
    [agents.until, isOpen && <time dateTime={expires_at}>{format.exactly(expires_at)}</time>],
    [agents.needs, because.map((reason) => agents.because[reason]).join('; ')],
  ] as const
  return (
    <Panel title={agents.says}>
      <Typography
        component="blockquote"
        sx={{
          m: 0,
          mb: 1,
          pl: 1.5,
          borderLeft: 3,
          borderColor: 'divider',
          overflowWrap: 'anywhere',
          whiteSpace: 'pre-wrap',
        }}
      >
        {why === null ? agents.noReason : <Foreign text={why} max={agentReasonMax} />}
      </Typography>
      <MutedText mb={1.5}>{agents.unchecked}</MutedText>
      <FactList isBeside facts={facts} />
    </Panel>
  )
}

/** Shows the operations exactly as the agent sent them. */
function SentOperations({ preview: { operations, undo } }: PreviewProps) {
  const { agents } = useTexts()
  return (
    <Details>
      <summary>{agents.sent}</summary>
      <Box
        component="pre"
        // Focusable, so that the keyboard can scroll it.
        tabIndex={0}
        sx={{
          m: 0,
          mt: 1,
          maxHeight: 320,
          overflow: 'auto',
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          fontSize: '0.8rem',
        }}
      >
        <Foreign text={JSON.stringify(operations ?? { undo }, null, 2)} max={agentRequestBytesMax} />
      </Box>
    </Details>
  )
}

/** Shows the outcome, and the undo button if it was applied. */
function Outcome({ preview, onChange }: PreviewProps & { onChange(): void }) {
  const { agents } = useTexts()
  const format = useFormat()
  const { state, decided_by, decided_at, write_id } = preview
  const who = decided_by && decided_at && `${quote(decided_by.name)}, ${format.exactly(decided_at)}.`
  if (state === 'open' || state === 'waiting') return null
  return (
    <Note
      severity={state === 'applied' ? 'success' : 'info'}
      action={state === 'applied' && write_id !== null && <UndoButton writeId={write_id} onUndone={onChange} />}
    >
      {agents.outcomes[state]} {who}
    </Note>
  )
}

type DecisionProps = PreviewProps & {
  /** The records that are deleted, those along included. */
  count: number
  onDecided(): Promise<unknown>
}

function Decision({ preview: { id, hash, state }, count, onDecided }: DecisionProps) {
  const { agents } = useTexts()
  const form = useSmallForm(async ({ write, say }, isApproved: boolean) => {
    try {
      if (isApproved) await write('agents.approve', { id, body: { hash } })
      else await write('agents.decline', { id })
      say(isApproved ? agents.approvedNow : agents.declinedNow)
    } finally {
      // Reloads after a refusal too, so that the page shows the present state.
      await onDecided()
      tellDecided()
    }
  })
  if (!['open', 'waiting', 'approved'].includes(state)) return null
  return (
    <Panel title={agents.decide}>
      <Typography gutterBottom>{state === 'approved' ? agents.declineLead : agents.approveLead}</Typography>
      {form.trouble && (
        <Note severity="error" variant="standard">
          {form.trouble}
        </Note>
      )}
      <Stack direction="row" spacing={1.5}>
        {state !== 'approved' && (
          <Button
            variant="contained"
            color={count > 0 ? 'error' : 'primary'}
            size="large"
            loading={form.isBusy}
            onClick={() => form.submit(true)}
          >
            {count > 0 ? agents.approveDeletion(count) : agents.approve}
          </Button>
        )}
        <Button variant="outlined" color="error" size="large" loading={form.isBusy} onClick={() => form.submit(false)}>
          {agents.decline}
        </Button>
      </Stack>
    </Panel>
  )
}
