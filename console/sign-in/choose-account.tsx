import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import type { AccountChoice } from '#derive/console/answers.ts'
import { useTexts } from '../texts/texts.tsx'

type ChooseAccountProps = {
  choices: readonly AccountChoice[]
  isBusy: boolean
  onChoose(id: number): void
  onBack(): void
}

/** Where somebody with several accounts wants to go. */
export function ChooseAccount({ choices, isBusy, onChoose, onBack }: ChooseAccountProps) {
  const { signIn } = useTexts()
  return (
    <Box component="section" aria-label={signIn.choose} sx={{ display: 'grid', gap: 1.5 }}>
      <Typography variant="h2" component="h2">
        {signIn.choose}
      </Typography>
      <Typography color="textSecondary">{signIn.chooseLead}</Typography>
      {choices.map(({ account_id, name, company }, index) => (
        <Button
          key={account_id}
          variant="outlined"
          size="large"
          disabled={isBusy}
          autoFocus={index === 0}
          onClick={() => onChoose(account_id)}
          sx={{ justifyContent: 'start', textAlign: 'start', overflowWrap: 'anywhere' }}
        >
          {signIn.chosen(name, company.name)}
        </Button>
      ))}
      <Button onClick={onBack} disabled={isBusy}>
        {signIn.other}
      </Button>
    </Box>
  )
}
