import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { KeepUnsaved, LeaveQuestion } from './unsaved.tsx'

type AskFirstProps = {
  /** If absent, it is open while it is mounted. */
  open?: boolean
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
