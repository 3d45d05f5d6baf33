import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useId } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** Before what was typed is lost. */
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
