import Box from '@mui/material/Box'
import type { ReactNode } from 'react'

type ListRowProps = { isTight?: boolean; main: ReactNode; children: ReactNode }

/** A row of a list (`ul`): what it is about, and beside it how that does and what can be done. */
export const ListRow = ({ isTight, main, children }: ListRowProps) => (
  <Box
    component="li"
    sx={{
      ...{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center' },
      ...(isTight ? { py: 1.5 } : { p: 2 }),
      ...{ borderBottom: 1, borderColor: 'divider' },
    }}
  >
    <Box sx={{ flex: '1 1 220px', minWidth: 0 }}>{main}</Box>
    {children}
  </Box>
)
