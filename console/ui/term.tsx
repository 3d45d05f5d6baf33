import Box from '@mui/material/Box'
import type { ReactNode } from 'react'

/** A fact of a list of facts (`dl`): what it is called, and what it is. */
export const Term = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <Box component="dt" sx={{ color: 'text.secondary' }}>
      {name}
    </Box>
    <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
      {children}
    </Box>
  </>
)
