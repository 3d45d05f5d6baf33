import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { KeepUnsaved, LeaveQuestion } from './unsaved.tsx'

type AskFirstProps = {
  /** Absent: it is open for as long as it is there. */
  open?: boolean
  title: string
  children: ReactNode
  /** What the button that does it says; without one there is nothing to do but close. */
  confirm?: string
  cancel?: string
  isDangerous?: boolean
  isBusy?: boolean
  isDisabled?: boolean
  wide?: boolean
  /** Something was chosen in it; what is typed is noticed by itself. */
  isDirty?: boolean
  onConfirm?: () => void
  onClose: () => void
}

/**
 * A question before something that matters. Enter in a field of it confirms; Escape, a click beside it and another page
 * close it, once it has been asked whether what was typed may be lost.
 */
export function AskFirst(props: AskFirstProps) {
  const { open = true, title, children, confirm, cancel, onConfirm, onClose } = props
  const [isTyped, setTyped] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const isDirty = open && (isTyped || props.isDirty === true)
  useEffect(() => {
    if (!open) setTyped(false)
  }, [open])
  const { common } = useTexts()
  const id = useId()
  return (
    <Dialog
      open={open}
      onClose={() => (isDirty ? setLeaving(true) : onClose())}
      aria-labelledby={id}
      fullWidth
      maxWidth={props.wide ? 'md' : 'sm'}
    >
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
        <DialogTitle id={id}>{title}</DialogTitle>
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
