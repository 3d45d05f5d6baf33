import type { AgentPreview } from '../client/answers.ts'
import { agentPreviewPath } from '../shell/places.ts'
import { quote } from '../texts/foreign.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { PlainList } from '../ui/layout.tsx'
import { ListRow } from '../ui/panel.tsx'
import { BoldChip } from '../ui/status-chip.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Lists previews with the agent's purpose, the number of changes and the state. */
export function PreviewRows({ previews }: { previews: readonly AgentPreview[] }) {
  const { agents } = useTexts()
  const format = useFormat()
  return (
    <PlainList>
      {previews.map(({ id, why, total, client, token_label, created_at, state }) => (
        <ListRow
          key={id}
          isTight
          title={
            <TextLink variant="body1" to={agentPreviewPath(id)}>
              {why === null ? agents.noReason : <Foreign text={why} />}
            </TextLink>
          }
          about={
            <>
              {agents.records(total)} · {agents.by(quote(client ?? token_label))} ·{' '}
              <time dateTime={created_at}>{format.moment(created_at)}</time>
            </>
          }
        >
          <StateChip state={state} />
        </ListRow>
      ))}
    </PlainList>
  )
}

const tones = {
  open: 'default',
  waiting: 'warning',
  approved: 'info',
  declined: 'error',
  applied: 'success',
  expired: 'default',
} as const satisfies { [state in AgentPreview['state']]: string }

/** Shows the state of a preview as a word, with a colour that repeats it. */
export function StateChip({ state }: Pick<AgentPreview, 'state'>) {
  const { agents } = useTexts()
  return <BoldChip color={tones[state]} label={agents.states[state]} />
}
