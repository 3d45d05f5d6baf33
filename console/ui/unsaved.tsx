import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useEffect, useId, useRef } from 'react'
import { useBlocker } from 'react-admin'
import { useTexts } from '../texts/texts.tsx'

/** Asks before typed values are lost. `release` allows the next navigation, after saving. */
export function useUnsaved(isDirty: boolean) {
  const isReleased = useRef(false)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !isReleased.current && currentLocation.pathname !== nextLocation.pathname,
  )

  useEffect(() => {
    if (!isDirty) return
    const warn = (event: BeforeUnloadEvent) => {
      if (!isReleased.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])

  const question = blocker.state === 'blocked' && (
    <LeaveQuestion onLeave={() => blocker.proceed?.()} onStay={() => blocker.reset?.()} />
  )
  return {
    question,
    release: () => {
      isReleased.current = true
    },
  }
}

/** Asks like `useUnsaved`, while it is mounted. */
export const KeepUnsaved = () => useUnsaved(true).question

/** The question before typed values are lost. */
export function LeaveQuestion({ onLeave, onStay }: { onLeave(): void; onStay(): void }) {
  const { form } = useTexts()
  const id = useId()
  return (
    <Dialog open onClose={onStay} aria-labelledby={id} fullWidth maxWidth="xs">
      <DialogTitle id={id}>{form.unsavedTitle}</DialogTitle>
      <DialogContent>{form.unsaved}</DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onStay}>
          {form.stay}
        </Button>
        <Button variant="contained" color="error" onClick={onLeave}>
          {form.leave}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
