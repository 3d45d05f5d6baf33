import Alert from '@mui/material/Alert'
import AlertTitle from '@mui/material/AlertTitle'
import Box from '@mui/material/Box'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from './copy-button.tsx'

type NewTokenProps = { title: string; lead: string; token: string; onClose(): void }

/** The text of a token or of another secret, as long as this page shows it. */
export function NewToken({ title, lead, token, onClose }: NewTokenProps) {
  return (
    <Alert
      severity="success"
      variant="outlined"
      onClose={onClose}
      sx={{ mb: 2, '& .MuiAlert-message': { minWidth: 0, flex: 1 } }}
    >
      <AlertTitle>{title}</AlertTitle>
      {lead}
      <Box sx={{ my: 1 }}>
        <Code label={title}>{token}</Code>
      </Box>
      <CopyButton text={token} />
    </Alert>
  )
}
