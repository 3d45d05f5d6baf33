import Box, { type BoxProps } from '@mui/material/Box'
import Paper from '@mui/material/Paper'
import Stack, { type StackProps } from '@mui/material/Stack'
import { styled } from '@mui/material/styles'

/** The few ways in which pages lay out their parts. Rows and columns of parts are `Stack`. */

/** A list without marks. */
export const PlainList = styled('ul')({ listStyle: 'none', margin: 0, padding: 0 })

type BulletsProps = {
  /** Room above, in steps of the theme. */
  mt?: number
  /** Room below. */
  mb?: number
  isSmall?: boolean
  /** In pixels; a longer list is scrolled. */
  maxHeight?: number
}

/** A list with marks. */
export const Bullets = styled('ul')<BulletsProps>(({ theme, mt = 0, mb = 0, isSmall, maxHeight }) => ({
  margin: theme.spacing(mt, 0, mb),
  fontSize: isSmall ? '0.875rem' : undefined,
  maxHeight,
  overflowY: maxHeight === undefined ? undefined : 'auto',
  paddingLeft: theme.spacing(2.5),
  overflowWrap: 'anywhere',
}))

/** An entry of a plain list, above a line. */
export const Entry = styled('li')(({ theme }) => ({
  padding: theme.spacing(1, 0),
  borderBottom: `1px solid ${theme.vars?.palette.divider}`,
  overflowWrap: 'anywhere',
}))

/** Words of less weight in a sentence or a list of facts. */
export const Pale = styled('span')(({ theme }) => ({ color: theme.vars?.palette.text.secondary }))

/** A sheet whose content reaches its borders. */
export const Sheet = styled(Paper)({ overflow: 'hidden' })

/** A group of inputs without the frame of the browser. */
export const Bare = styled('fieldset')({ border: 0, padding: 0, margin: 0, minWidth: 0, '& legend': { padding: 0 } })

/** Parts beside each other. `isSpread` puts the first and the last at the ends; `isWhole` takes the whole row of a grid. */
export const RowStack = ({ isSpread, isWhole, mb, ...rest }: StackProps & RowStackProps) => (
  <Stack
    direction="row"
    sx={{ justifyContent: isSpread ? 'space-between' : undefined, gridColumn: isWhole ? '1 / -1' : undefined, mb }}
    {...rest}
  />
)

type RowStackProps = { isSpread?: boolean; isWhole?: boolean; mb?: number }

type TilesProps = BoxProps & {
  /** Least width of a tile in pixels. */
  width: number
  gap?: number
  mb?: number
  /** Tiles keep their width where there are few of them. */
  isKept?: boolean
}

/** Tiles of the same width, as many in a row as there is room for. */
export const Tiles = ({ width, gap = 2, mb, isKept, sx, ...rest }: TilesProps) => {
  const columns = `repeat(auto-${isKept ? 'fill' : 'fit'}, minmax(min(100%, ${width}px), 1fr))`
  return <Box sx={{ display: 'grid', gap, mb, gridTemplateColumns: columns, ...sx }} {...rest} />
}

/** The buttons below a part of a page. */
export const Buttons = styled(Stack)(({ theme }) => ({
  flexFlow: 'row wrap',
  alignItems: 'center',
  gap: theme.spacing(1),
  marginTop: theme.spacing(2),
}))

/** Two parts at the two ends of a line. */
export const BetweenRow = styled('div')({ display: 'flex', justifyContent: 'space-between', gap: 8 })

/** The part of a row that takes the room left by the others. `basis` is the width below which it takes a row of its own. */
export const Grow = styled('div')<{ basis?: number }>(({ basis }) => ({
  flex: basis === undefined ? 1 : `1 1 ${basis}px`,
  minWidth: 0,
}))

/** A part at the end of its row. */
export const AtEnd = styled('div')({ marginLeft: 'auto' })

/** A figure or a day, which is not broken; figures below each other are aligned. */
export const Unbroken = styled('span')({ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' })

/** Content that is opened on demand. */
export const Details = styled('details')(({ theme }) => ({
  marginTop: theme.spacing(2),
  '& summary': { cursor: 'pointer', fontWeight: 600, minHeight: 24 },
}))

/** The inputs of a form: one a row on a phone, three on a wide screen. */
export const Fields = styled('div')(({ theme }) => ({
  display: 'grid',
  gap: theme.spacing(2),
  gridTemplateColumns: '1fr',
  [theme.breakpoints.up('sm')]: { gridTemplateColumns: '1fr 1fr' },
  [theme.breakpoints.up('lg')]: { gridTemplateColumns: '1fr 1fr 1fr' },
}))

/** Text for a machine: in its own letters, broken wherever it has to. */
export const Code = styled('code')(({ theme }) => ({
  display: 'block',
  padding: theme.spacing(1.25),
  borderRadius: theme.shape.borderRadius,
  backgroundColor: theme.vars?.palette.action.hover,
  fontFamily: 'ui-monospace, Consolas, monospace',
  fontSize: '0.875rem',
  overflowWrap: 'anywhere',
  whiteSpace: 'pre-wrap',
}))
