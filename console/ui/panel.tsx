import Alert, { type AlertProps } from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Paper from '@mui/material/Paper'
import Typography, { type TypographyProps } from '@mui/material/Typography'
import { type ElementType, type ReactNode, useId } from 'react'

/** A part of a page under a heading of its own. */
export function Panel({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} sx={{ p: { xs: 2, sm: 2.5 }, mb: 2 }}>
      <Typography
        id={id}
        variant="h2"
        sx={{ mb: 1.5, display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}
      >
        {title}
        {aside}
      </Typography>
      {children}
    </Paper>
  )
}

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

/** Something to know, above what it is about. */
export const Note = (props: AlertProps) => <Alert variant="outlined" sx={{ mb: 2 }} {...props} />

/** What is said beside, in small and paler letters. */
export const Muted = (props: TypographyProps & { component?: ElementType }) => (
  <Typography variant="body2" color="textSecondary" {...props} />
)
