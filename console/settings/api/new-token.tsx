import { mdiCheck, mdiContentCopy } from '@mdi/js'
import Alert from '@mui/material/Alert'
import AlertTitle from '@mui/material/AlertTitle'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Code } from '../../ui/layout.tsx'

type NewTokenProps = { title: string; lead: string; token: string | undefined; onClose(): void }

/** Shows the text of a token or of another secret until it is closed. */
export function NewToken({ title, lead, token, onClose }: NewTokenProps) {
  if (!token) return null
  return (
    <Alert
      severity="success"
      variant="outlined"
      onClose={onClose}
      sx={{ mb: 2, '& code': { my: 1 }, '& .MuiAlert-message': { minWidth: 0, flex: 1 } }}
    >
      <AlertTitle>{title}</AlertTitle>
      {lead}
      <Code aria-label={title}>{token}</Code>
      <CopyButton text={token} />
    </Alert>
  )
}

/** Copies a text to the clipboard and confirms it. */
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
      startIcon={isDone ? <Icon path={mdiCheck} /> : <Icon path={mdiContentCopy} />}
      onClick={copy}
      aria-label={label}
    >
      <span aria-live="polite">{isDone ? settings.api.copied : settings.api.copy}</span>
    </Button>
  )
}
