import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useId } from 'react'
import { useTexts } from '../texts/texts.tsx'

type AskFirstProps = {
  open: boolean
  title: string
  children: ReactNode
  /** What the button that does it says; without one there is nothing to do but close. */
  confirm?: string
  cancel?: string
  isDangerous?: boolean
  isBusy?: boolean
  isDisabled?: boolean
  wide?: boolean
  onConfirm?: () => void
  onClose: () => void
}

/** A question before something that matters. Enter in a field of it confirms, Escape closes. */
export function AskFirst(props: AskFirstProps) {
  const { open, title, children, confirm, cancel, isDangerous, isBusy, isDisabled, wide, onConfirm, onClose } = props
  const { common } = useTexts()
  const id = useId()
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={id} fullWidth maxWidth={wide ? 'md' : 'sm'}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          onConfirm?.()
        }}
      >
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent sx={{ '&&': { pt: 0.5 } }}>{children}</DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button onClick={onClose}>{cancel ?? (confirm ? common.cancel : common.close)}</Button>
          {confirm && (
            <Button
              type="submit"
              variant="contained"
              color={isDangerous ? 'error' : 'primary'}
              loading={isBusy}
              disabled={isDisabled}
            >
              {confirm}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}
