import type { AgentPreview } from '#derive/console/responses.ts'
import { agentPreviewPath } from '../shell/places.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
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
              {why ?? agents.noReason}
            </TextLink>
          }
          about={
            <>
              {agents.records(total)} · {agents.by(client ?? token_label)} ·{' '}
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
