import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import { errorText } from '../texts/refused.ts'
import { useTexts } from '../texts/texts.tsx'

/** What went wrong, and the way on. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  const texts = useTexts()
  return (
    <Alert
      severity="error"
      variant="outlined"
      action={
        retry && (
          <Button color="inherit" size="small" onClick={() => retry()}>
            {texts.common.retry}
          </Button>
        )
      }
    >
      {errorText(error, texts)}
    </Alert>
  )
}
