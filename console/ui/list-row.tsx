import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import type { ReactNode } from 'react'
import { Grow } from './layout.tsx'
import { MutedText } from './panel.tsx'

type ListRowProps = { isTight?: boolean; title: ReactNode; about: ReactNode; hint?: string; children: ReactNode }

/** A row of a list (`ul`): a name, facts about it in small letters, and beside them its state and buttons. */
export const ListRow = ({ isTight, title, about, hint, children }: ListRowProps) => (
  <Stack
    component="li"
    direction="row"
    spacing={2}
    sx={{ py: isTight ? 1.5 : 2, px: isTight ? 0 : 2, borderBottom: 1, borderColor: 'divider' }}
  >
    <Grow sx={{ flexBasis: 220 }}>
      <Typography component="div" variant="subtitle1" title={hint}>
        {title}
      </Typography>
      <MutedText component="div">{about}</MutedText>
    </Grow>
    {children}
  </Stack>
)
