import Box from '@mui/material/Box'
import type { ReactNode } from 'react'

/** Text for a machine: in its own letters, broken wherever it has to. */
export const Code = ({ children, label }: { children: ReactNode; label?: string }) => (
  <Box
    component="code"
    aria-label={label}
    sx={{
      display: 'block',
      p: 1.25,
      borderRadius: 1,
      bgcolor: 'action.hover',
      fontFamily: 'ui-monospace, Consolas, monospace',
      fontSize: '0.875rem',
      overflowWrap: 'anywhere',
      whiteSpace: 'pre-wrap',
    }}
  >
    {children}
  </Box>
)
