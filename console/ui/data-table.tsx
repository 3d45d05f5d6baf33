import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableContainer from '@mui/material/TableContainer'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import type { ReactNode } from 'react'

type DataTableProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf(item: Item): string | number
  columns: readonly { title: string; align?: 'right'; cell(item: Item): ReactNode }[]
  /** Cells keep to one line, and rows light up under the pointer. */
  isLog?: boolean
}

/** A table with a row for each item, which scrolls sideways if it is too wide. */
export const DataTable = <Item,>({ label, items, keyOf, columns, isLog }: DataTableProps<Item>) => (
  <TableContainer>
    <Table
      aria-label={label}
      sx={{ fontVariantNumeric: 'tabular-nums', '& td, & th': { whiteSpace: isLog ? 'nowrap' : undefined } }}
    >
      <TableHead>
        <TableRow>
          {columns.map(({ title, align }) => (
            <TableCell key={title} align={align}>
              {title}
            </TableCell>
          ))}
        </TableRow>
      </TableHead>
      <TableBody>
        {items.map((item) => (
          <TableRow key={keyOf(item)} hover={isLog}>
            {columns.map(({ title, align, cell }) => (
              <TableCell key={title} align={align}>
                {cell(item)}
              </TableCell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  </TableContainer>
)
