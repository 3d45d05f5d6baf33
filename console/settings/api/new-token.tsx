import Alert from '@mui/material/Alert'
import AlertTitle from '@mui/material/AlertTitle'
import Box from '@mui/material/Box'
import { Code } from '../../look/code.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { CopyButton } from './copy-button.tsx'

/** The text of the token, as long as this page shows it. */
export function NewToken({ title, token, onClose }: { title: string; token: string; onClose(): void }) {
  const { settings } = useTexts()
  return (
    <Alert
      severity="success"
      variant="outlined"
      onClose={onClose}
      sx={{ mb: 2, '& .MuiAlert-message': { minWidth: 0, flex: 1 } }}
    >
      <AlertTitle>{title}</AlertTitle>
      {settings.api.issuedLead}
      <Box sx={{ my: 1 }}>
        <Code label={title}>{token}</Code>
      </Box>
      <CopyButton text={token} />
    </Alert>
  )
}
