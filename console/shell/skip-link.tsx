import Button from '@mui/material/Button'
import { useTexts } from '../texts/texts.tsx'

/** First on the page for the one who comes by keyboard. A button, because the address after # is the page. */
export function SkipLink() {
  const { shell } = useTexts()
  return (
    <Button
      variant="contained"
      onClick={() => document.getElementById('content')?.focus()}
      sx={{ position: 'fixed', top: 8, left: 8, zIndex: 2000, '&:not(:focus)': { transform: 'translateY(-200%)' } }}
    >
      {shell.skip}
    </Button>
  )
}
