import Box from '@mui/material/Box'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { amountOf } from './line-amount.ts'

/** The lines of a record as a table, or how many there are. */
export function ShownLines({ lines, isShort }: { lines: JsonObject[]; isShort?: boolean }) {
  const { form } = useTexts()
  const { label } = useRecordTexts()
  const format = useFormat()
  const { currency } = useMe().company
  if (lines.length === 0) return <>{form.noLines}</>
  if (isShort) return <>{lines.map((line) => `${line.quantity} ${line.unit ?? '×'} ${line.description}`).join('; ')}</>
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Table aria-label={form.linesTable}>
        <TableHead>
          <TableRow>
            <TableCell>{label('lines', 'description')}</TableCell>
            <TableCell align="right">{label('lines', 'quantity')}</TableCell>
            <TableCell>{label('lines', 'unit')}</TableCell>
            <TableCell align="right">{label('lines', 'unit_price_minor')}</TableCell>
            <TableCell align="right">{form.lineTotal}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody sx={{ fontVariantNumeric: 'tabular-nums' }}>
          {lines.map((line, index) => (
            <TableRow key={index}>
              <TableCell>{String(line.description)}</TableCell>
              <TableCell align="right">{format.number(line.quantity as number)}</TableCell>
              <TableCell>{String(line.unit ?? '')}</TableCell>
              <TableCell align="right">{format.money(line.unit_price_minor as number, currency)}</TableCell>
              <TableCell align="right">{format.money(amountOf(line) ?? 0, currency)}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}
