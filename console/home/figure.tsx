import Paper from '@mui/material/Paper'
import { LinkBase } from 'react-admin'
import { useFormat } from '../texts/format.ts'
import { Pale, Unbroken } from '../ui/layout.tsx'

type FigureProps = { label: string; figure: number; note?: string; to: string; isSmall?: boolean }

/** A number, what it counts, and the way to what was counted. */
export function Figure({ label, figure, note, to, isSmall }: FigureProps) {
  const format = useFormat()
  return (
    <Paper
      component={LinkBase}
      to={to}
      sx={{
        display: 'flex',
        flexDirection: 'column',
        p: isSmall ? 1.25 : 2,
        color: 'text.primary',
        textDecoration: 'none',
        '&:hover': { borderColor: 'primary.main' },
      }}
    >
      <Unbroken sx={{ fontSize: isSmall ? '1.35rem' : '2rem', fontWeight: 650, lineHeight: 1.2 }}>
        {format.number(figure)}
      </Unbroken>
      <span>{label}</span>
      {note && <Pale sx={{ fontSize: '0.9rem' }}>{note}</Pale>}
    </Paper>
  )
}
