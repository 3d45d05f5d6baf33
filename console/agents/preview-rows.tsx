import Box from '@mui/material/Box'
import type { AgentPreview } from '#derive/console/answers.ts'
import { useFormat } from '../texts/format.ts'
import { useTexts } from '../texts/texts.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Muted } from '../ui/panel.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { agentPreviewPath } from './paths.ts'
import { StateChip } from './state-chip.tsx'

/** Previews one under another: what the agent says it is for, how much it changes, what became of it. */
export function PreviewRows({ previews }: { previews: readonly AgentPreview[] }) {
  const { agents } = useTexts()
  const format = useFormat()
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {previews.map(({ id, why, total, client, token_label, created_at, state }) => (
        <ListRow
          key={id}
          isTight
          main={
            <>
              <TextLink to={agentPreviewPath(id)} sx={{ overflowWrap: 'anywhere' }}>
                {why ?? agents.noReason}
              </TextLink>
              <Muted sx={{ overflowWrap: 'anywhere' }}>
                {agents.records(total)} · {agents.by(client ?? token_label)} ·{' '}
                <time dateTime={created_at}>{format.moment(created_at)}</time>
              </Muted>
            </>
          }
        >
          <StateChip state={state} />
        </ListRow>
      ))}
    </Box>
  )
}
