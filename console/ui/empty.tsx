import Box from '@mui/material/Box'
import Typography from '@mui/material/Typography'
import type { ReactNode } from 'react'
import { Lead } from './panel.tsx'

/** Nothing is here, and this is what to do next. */
export const Empty = ({ title, lead, children }: { title: string; lead?: string; children?: ReactNode }) => (
  <Box sx={{ py: 6, px: 2, textAlign: 'center' }}>
    <Typography variant="h2" component="p" sx={{ mb: 0.5 }}>
      {title}
    </Typography>
    {lead && <Lead sx={{ maxWidth: '60ch', mx: 'auto' }}>{lead}</Lead>}
    {children}
  </Box>
)
