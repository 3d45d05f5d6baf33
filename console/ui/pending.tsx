import Alert from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import CircularProgress from '@mui/material/CircularProgress'
import { type ComponentType, lazy, useEffect, useState } from 'react'
import { errorText } from '../texts/refusal-text.ts'
import { useTexts } from '../texts/texts.tsx'

type PendingProps = { error: unknown; retry?: () => void; isThere?: boolean }

/** Shown until data is loaded: that it is loading, or the error. */
export function PendingContent({ error, retry, isThere }: PendingProps) {
  if (error) return <Trouble error={error} retry={retry} />
  return isThere ? null : <WaitingNotice />
}

/** Shows an error and the next step. */
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

/** Shows that data is loading, after a noticeable delay. */
export function WaitingNotice({ whole = false }: { whole?: boolean }) {
  const { common } = useTexts()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 300)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Box
      role="status"
      sx={{ display: 'flex', justifyContent: 'center', alignItems: 'center', minHeight: whole ? '100vh' : 160 }}
    >
      {isLong && <CircularProgress aria-label={common.loading} />}
    </Box>
  )
}

/** Returns a component whose file is loaded when it is first shown. */
export const lazily = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await load() }))
