import Box from '@mui/material/Box'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { totalOf } from './usage.ts'
import type { UsageProps } from './usage-chart.tsx'

/** The same days in numbers, the latest first; days without a call are left out. */
export function UsageTable({ days, by, series, nameOf }: UsageProps) {
  const { usage } = useTexts().settings
  const format = useFormat()
  const busy = days.filter((day) => totalOf([day], by) > 0).toReversed()
  return (
    <Box component="details" sx={{ mt: 2 }}>
      <Box component="summary" sx={{ cursor: 'pointer', fontWeight: 600 }}>
        {usage.table}
      </Box>
      <Box sx={{ overflowX: 'auto' }}>
        <Table size="small" aria-label={usage.table} sx={{ fontVariantNumeric: 'tabular-nums' }}>
          <TableHead>
            <TableRow>
              <TableCell>{usage.day}</TableCell>
              {series.map((name) => (
                <TableCell key={name} align="right">
                  {nameOf(name)}
                </TableCell>
              ))}
              <TableCell align="right">{usage.total}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {busy.map((day) => (
              <TableRow key={day.day}>
                <TableCell component="th" scope="row">
                  {format.day(day.day)}
                </TableCell>
                {series.map((name) => (
                  <TableCell key={name} align="right">
                    {format.number(day[by][name] ?? 0)}
                  </TableCell>
                ))}
                <TableCell align="right">{format.number(totalOf([day], by))}</TableCell>
              </TableRow>
            ))}
            <TableRow sx={{ '& > *': { fontWeight: 600 } }}>
              <TableCell component="th" scope="row">
                {usage.total}
              </TableCell>
              {series.map((name) => (
                <TableCell key={name} align="right">
                  {format.number(totalOf(days, by, name))}
                </TableCell>
              ))}
              <TableCell align="right">{format.number(totalOf(days, by))}</TableCell>
            </TableRow>
          </TableBody>
        </Table>
      </Box>
    </Box>
  )
}
