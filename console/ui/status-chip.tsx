import Chip from '@mui/material/Chip'
import { styled } from '@mui/material/styles'
import { useRecordTexts } from '../texts/texts.tsx'

/** States with a tone. Other words are neutral. */
const tones = {
  success: ['ACTIVE', 'APPROVED', 'ACCEPTED', 'PAID', 'SIGNED'],
  info: ['IN_USE', 'BIDDING', 'SENT', 'ISSUED', 'PROSPECT'],
  warning: ['ON_HOLD', 'ON_LEAVE', 'MAINTENANCE', 'PENDING', 'EXPIRED'],
  error: ['BLOCKED', 'REJECTED', 'CANCELLED', 'VOID'],
} as const

const toneOf = (word: string) =>
  (Object.keys(tones) as (keyof typeof tones)[]).find((tone) => tones[tone].some((state) => state === word)) ??
  'default'

/** A state in a word. */
export const BoldChip = styled(Chip)({ fontWeight: 600 })

/** Shows the state of a record as a word, with a colour that repeats it. */
export function StatusChip({ resource, value }: { resource: string; value: string }) {
  const { value: word } = useRecordTexts()
  const tone = toneOf(value)
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
