import Paper from '@mui/material/Paper'
import { LinkBase } from 'ra-core'
import { Pale, Unbroken } from './layout.tsx'

type FigureProps = { label: string; figure: string; note?: string; to?: string; isSmall?: boolean; isBad?: boolean }

/** Shows a number or an amount with its label and a link to the counted records, if there are any. `isBad` marks one that needs somebody. */
export const Figure = ({ label, figure, note, to, isSmall, isBad }: FigureProps) => (
  <Paper
    {...(to === undefined ? {} : { component: LinkBase, to })}
    sx={{
      display: 'flex',
      flexDirection: 'column',
      p: isSmall ? 1.25 : 2,
      color: 'text.primary',
      textDecoration: 'none',
      '&:hover': to === undefined ? undefined : { borderColor: 'primary.main' },
    }}
  >
    <Unbroken
      sx={{
        fontSize: isSmall ? '1.35rem' : '2rem',
        fontWeight: 650,
        lineHeight: 1.2,
        color: isBad ? 'error.main' : undefined,
      }}
    >
      {figure}
    </Unbroken>
    <span>{label}</span>
    {note && <Pale sx={{ fontSize: '0.9rem' }}>{note}</Pale>}
  </Paper>
)
