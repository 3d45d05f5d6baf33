import Chip from '@mui/material/Chip'
import type { AgentPreview } from '#derive/console/responses.ts'
import { useTexts } from '../texts/texts.tsx'

const tones = {
  open: 'default',
  waiting: 'warning',
  approved: 'info',
  declined: 'error',
  applied: 'success',
  expired: 'default',
} as const satisfies { [state in AgentPreview['state']]: string }

/** What became of a preview: a word, and a colour that repeats it. */
export function StateChip({ state }: Pick<AgentPreview, 'state'>) {
  const { agents } = useTexts()
  return <Chip color={tones[state]} variant="outlined" label={agents.states[state]} sx={{ fontWeight: 600 }} />
}
