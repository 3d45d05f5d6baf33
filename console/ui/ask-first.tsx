import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useBlocker } from 'ra-core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'

type AskFirstProps = {
  title: string
  children: ReactNode
  /** The label of the button that confirms. Without it there is only a button to close. */
  confirm?: string
  cancel?: string
  isDangerous?: boolean
  isBusy?: boolean
  isDisabled?: boolean
  wide?: boolean
  /** True if something was chosen in it. Typed values are noticed without it. */
  isDirty?: boolean
  onConfirm?: () => void
  onClose: () => void
}

/**
 * A question before an important action. Enter in one of its fields confirms. Escape, a click beside it and another
 * page close it, after a question if typed values would be lost.
 */
export function AskFirst(props: AskFirstProps) {
  const { title, children, confirm, cancel, onConfirm, onClose } = props
  const [isTyped, setTyped] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const isDirty = isTyped || props.isDirty === true
  const { common } = useTexts()
  return (
    <Dialog open onClose={() => (isDirty ? setLeaving(true) : onClose())} fullWidth maxWidth={props.wide ? 'md' : 'sm'}>
      {isDirty && <KeepUnsaved />}
      {isLeaving && (
        <LeaveQuestion
          onStay={() => setLeaving(false)}
          onLeave={() => {
            setLeaving(false)
            onClose()
          }}
        />
      )}
      <form
        onInput={() => setTyped(true)}
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          onConfirm?.()
        }}
      >
        <DialogTitle>{title}</DialogTitle>
        <DialogContent sx={{ '&&': { pt: 0.5 } }}>{children}</DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{cancel ?? (confirm ? common.cancel : common.close)}</Button>
          {confirm && (
            <Button
              type="submit"
              variant="contained"
              color={props.isDangerous ? 'error' : 'primary'}
              loading={props.isBusy}
              disabled={props.isDisabled}
            >
              {confirm}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}

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
const KeepUnsaved = () => useUnsaved(true).question

/** The question before typed values are lost. */
function LeaveQuestion({ onLeave, onStay }: { onLeave(): void; onStay(): void }) {
  const { form } = useTexts()
  return (
    <Dialog open onClose={onStay} fullWidth maxWidth="xs">
      <DialogTitle>{form.unsavedTitle}</DialogTitle>
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
