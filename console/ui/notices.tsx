import Alert from '@mui/material/Alert'
import Button from '@mui/material/Button'
import Snackbar from '@mui/material/Snackbar'
import { type NotificationPayload, useNotificationContext } from 'ra-core'
import { useEffect, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** Shows each notice once at the foot of the page, with an undo button if there is an undo. */
export function Notices() {
  const { notifications, takeNotification } = useNotificationContext()
  const [shown, setShown] = useState<NotificationPayload | undefined>()
  const { common } = useTexts()

  useEffect(() => {
    if (notifications.length > 0) setShown(takeNotification() ?? undefined)
  }, [notifications, takeNotification])

  if (!shown) return null
  const undo = shown.notificationOptions?.undo as (() => void) | undefined
  const close = () => setShown(undefined)
  return (
    <Snackbar
      open
      sx={{ displayPrint: 'none' }}
      key={String(shown.message)}
      autoHideDuration={undo || shown.type === 'error' ? 12_000 : 5000}
      onClose={(_, reason) => reason !== 'clickaway' && close()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
    >
      <Alert
        severity={shown.type}
        variant="filled"
        onClose={close}
        slotProps={{ closeButton: { 'aria-label': common.dismiss } as never }}
        action={
          undo && (
            <Button
              color="inherit"
              size="small"
              onClick={() => {
                close()
                undo()
              }}
            >
              {common.undo}
            </Button>
          )
        }
      >
        {shown.message}
      </Alert>
    </Snackbar>
  )
}
