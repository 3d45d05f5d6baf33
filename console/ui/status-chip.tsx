import Chip from '@mui/material/Chip'
import { styled } from '@mui/material/styles'
import { useRecordTexts } from '../texts/texts.tsx'

type Tone = 'success' | 'info' | 'warning' | 'error' | 'default'

/** Tones of states. Other words are neutral. */
const tones: { readonly [word: string]: Tone } = {
  ACTIVE: 'success',
  APPROVED: 'success',
  ACCEPTED: 'success',
  PAID: 'success',
  SIGNED: 'success',
  IN_USE: 'info',
  BIDDING: 'info',
  SENT: 'info',
  ISSUED: 'info',
  PROSPECT: 'info',
  ON_HOLD: 'warning',
  ON_LEAVE: 'warning',
  MAINTENANCE: 'warning',
  PENDING: 'warning',
  EXPIRED: 'warning',
  BLOCKED: 'error',
  REJECTED: 'error',
  CANCELLED: 'error',
  VOID: 'error',
}

/** A state in a word. */
export const BoldChip = styled(Chip)({ fontWeight: 600 })

/** Shows the state of a record as a word, with a colour that repeats it. */
export function StatusChip({ resource, value }: { resource: string; value: string }) {
  const { value: word } = useRecordTexts()
  const tone = tones[value] ?? 'default'
  return (
    <BoldChip
      color={tone}
      label={word(resource, value)}
      sx={{
        bgcolor: tone === 'default' ? undefined : `color-mix(in srgb, var(--mui-palette-${tone}-main) 9%, transparent)`,
      }}
    />
  )
}
