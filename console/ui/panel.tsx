import Alert, { type AlertProps } from '@mui/material/Alert'
import Box from '@mui/material/Box'
import Paper from '@mui/material/Paper'
import Stack from '@mui/material/Stack'
import Typography, { type TypographyProps } from '@mui/material/Typography'
import { type ElementType, type ReactNode, useId } from 'react'
import { Grow, Pale } from './layout.tsx'

/** A part of a page under a heading of its own. */
export function Panel({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} sx={{ p: { xs: 2, sm: 2.5 }, mb: 2 }}>
      <Typography
        id={id}
        variant="h2"
        sx={{
          mb: 1.5,
          display: 'flex',
          alignItems: 'center',
          justifyContent: 'space-between',
          '& a': { fontSize: '0.9rem' },
        }}
      >
        {title}
        {aside}
      </Typography>
      {children}
    </Paper>
  )
}

/** A fact of a list of facts (`dl`): its name and its value. */
export const Term = ({ name, isAlone, children }: TermProps) => (
  <>
    <Pale as="dt" hidden={isAlone}>
      {name}
    </Pale>
    <Box
      component="dd"
      sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere', gridColumn: isAlone ? '1 / -1' : undefined }}
    >
      {children}
    </Box>
  </>
)

/** `isAlone`: the value stands alone, and its name is left out. */
type TermProps = { name: string; isAlone?: boolean; children: ReactNode }

type FactListProps = {
  /** Facts without a value are left out. */
  facts: readonly (readonly [name: string, value: ReactNode])[]
  /** On a phone, names stand above their values or beside them. */
  isBeside?: boolean
}

/** A list of facts, their names in a column of their own. */
export const FactList = ({ facts, isBeside }: FactListProps) => (
  <Box
    component="dl"
    sx={{
      display: 'grid',
      gridTemplateColumns: { xs: isBeside ? '110px 1fr' : '1fr', sm: '180px 1fr' },
      rowGap: 0.75,
      m: 0,
      mb: isBeside ? 0 : 2,
    }}
  >
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([name, value]) => (
        <Term key={name} name={name}>
          {value}
        </Term>
      ))}
  </Box>
)

type NoteProps = { mt?: number; mb?: number; isRaised?: boolean }

/** A notice above its subject. `isRaised` sets it off from the page, as a sheet. */
export const Note = ({ mt, mb = 2, isRaised, ...rest }: AlertProps & NoteProps) => (
  <Alert variant="outlined" sx={{ mt, mb, bgcolor: isRaised ? 'background.paper' : undefined }} {...rest} />
)

/** A text with room above or below it. */
export const Text = ({ mt, mb, sx, ...rest }: SpacedProps) => <Typography sx={{ mt, mb, ...sx }} {...rest} />

/** Secondary text in small and paler letters. */
export const MutedText = (props: SpacedProps) => <Text variant="body2" color="textSecondary" {...props} />

type SpacedProps = TypographyProps & { component?: ElementType; mt?: number; mb?: number; sx?: object }

/** A paler sentence or two that lead on to what follows. */
export const Lead = ({ isNarrow, ...rest }: SpacedProps & { isNarrow?: boolean }) => (
  <Text color="textSecondary" mb={2} sx={{ maxWidth: isNarrow ? '70ch' : undefined }} {...rest} />
)

/** Shown instead of an empty list, with the next step. */
export const Empty = ({ title, lead, children }: { title: string; lead?: string; children?: ReactNode }) => (
  <Box sx={{ py: 6, px: 2, textAlign: 'center' }}>
    <Text variant="h2" component="p" mb={0.5}>
      {title}
    </Text>
    {lead && <Lead sx={{ maxWidth: '60ch', mx: 'auto' }}>{lead}</Lead>}
    {children}
  </Box>
)

type ListRowProps = { isTight?: boolean; title: ReactNode; about: ReactNode; hint?: string; children: ReactNode }

/** A row of a list (`ul`): a name, facts about it in small letters, and beside them its state and buttons. */
export const ListRow = ({ isTight, title, about, hint, children }: ListRowProps) => (
  <Stack
    component="li"
    direction="row"
    spacing={2}
    sx={{ py: isTight ? 1.5 : 2, px: isTight ? 0 : 2, borderBottom: 1, borderColor: 'divider' }}
  >
    <Grow basis={220}>
      <Typography component="div" variant="subtitle1" title={hint}>
        {title}
      </Typography>
      <MutedText component="div">{about}</MutedText>
    </Grow>
    {children}
  </Stack>
)
