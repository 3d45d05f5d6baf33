import Check from '@mui/icons-material/Check'
import ContentCopy from '@mui/icons-material/ContentCopy'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { settings } = useTexts()
  const [isDone, setDone] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 2000)
  }
  return (
    <Button
      size="small"
      variant="outlined"
      startIcon={isDone ? <Check /> : <ContentCopy />}
      onClick={copy}
      aria-label={label}
    >
      <span aria-live="polite">{isDone ? settings.api.copied : settings.api.copy}</span>
    </Button>
  )
}
