import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell, { type TableCellProps } from '@mui/material/TableCell'
import TableContainer from '@mui/material/TableContainer'
import TableHead from '@mui/material/TableHead'
import TableRow, { type TableRowProps } from '@mui/material/TableRow'
import type { ReactNode } from 'react'

export type TableColumn<Item> = {
  /** Needed if the title is no text. */
  key?: string
  title: ReactNode
  align?: TableCellProps['align']
  /** Whether its cells are the headings of their rows. */
  isHeading?: boolean
  cell(item: Item): ReactNode
  /** Returns the text that the pointer shows over a cell. */
  hintOf?(item: Item): string | undefined
}

type DataTableProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf(item: Item): string | number
  columns: readonly TableColumn<Item>[]
  styleOf?(item: Item): TableRowProps['sx']
  /** Cells keep to one line, and rows light up under the pointer. */
  isLog?: boolean
  /** Focusable because nothing in it is, so that the keyboard can scroll it. */
  isFocusable?: boolean
  sx?: object
}

/** A table with a row for each item, which scrolls sideways if it is too wide. */
export const DataTable = <Item,>(props: DataTableProps<Item>) => {
  const { label, items, keyOf, columns, styleOf, isLog, isFocusable, sx } = props
  const keyed = columns.map((column) => ({ ...column, key: column.key ?? String(column.title) }))
  return (
    <TableContainer {...(isFocusable ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}>
      <Table
        aria-label={label}
        sx={{ fontVariantNumeric: 'tabular-nums', '& td, & th': { whiteSpace: isLog ? 'nowrap' : undefined }, ...sx }}
      >
        <TableHead>
          <TableRow>
            {keyed.map(({ key, title, align }) => (
              <TableCell key={key} align={align}>
                {title}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {items.map((item) => (
            <TableRow key={keyOf(item)} hover={isLog} sx={styleOf?.(item)}>
              {keyed.map(({ key, align, isHeading, cell, hintOf }) => (
                <TableCell
                  key={key}
                  align={align}
                  title={hintOf?.(item)}
                  {...(isHeading && { component: 'th', scope: 'row' })}
                >
                  {cell(item)}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  )
}
