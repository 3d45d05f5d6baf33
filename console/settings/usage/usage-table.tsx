import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableContainer from '@mui/material/TableContainer'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import type { UsageDay } from '#derive/console/responses.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Details } from '../../ui/layout.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { callsAddress } from '../paths.ts'
import type { UsageGrouping, UsageProps } from './usage-chart.tsx'

/** Shows the days in numbers, the latest first, with links to their calls. Leaves out days without calls. */
export function UsageTable({ days, by, series, nameOf, period }: UsageProps & { period: number }) {
  const { usage } = useTexts().settings
  const format = useFormat()
  const busy = days.filter((day) => totalOf([day], by) > 0).toReversed()
  return (
    <Details>
      <summary>{usage.table}</summary>
      <TableContainer>
        <Table aria-label={usage.table} sx={{ fontVariantNumeric: 'tabular-nums' }}>
          <TableHead>
            <TableRow>
              <TableCell>{usage.day}</TableCell>
              {series.map((name) => (
                <TableCell key={name} align="right">
                  <TextLink
                    to={callsAddress(by === 'by_outcome' ? { outcome: name } : { route: name }, { days: period })}
                  >
                    {nameOf(name)}
                  </TextLink>
                </TableCell>
              ))}
              <TableCell align="right">{usage.total}</TableCell>
              <TableCell align="right">{usage.counted}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {busy.map((day) => (
              <TableRow key={day.day}>
                <TableCell component="th" scope="row">
                  <TextLink to={callsAddress({ from: day.day, to: day.day }, { days: period })}>
                    {format.day(day.day)}
                  </TextLink>
                </TableCell>
                {series.map((name) => (
                  <TableCell key={name} align="right">
                    {format.number(day[by][name] ?? 0)}
                  </TableCell>
                ))}
                <TableCell align="right">{format.number(totalOf([day], by))}</TableCell>
                <TableCell align="right">{format.number(day.counted)}</TableCell>
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
              <TableCell align="right">{format.number(days.reduce((sum, { counted }) => sum + counted, 0))}</TableCell>
            </TableRow>
          </TableBody>
        </Table>
      </TableContainer>
    </Details>
  )
}

const totalOf = (days: readonly UsageDay[], by: UsageGrouping, name?: string): number =>
  days.reduce(
    (sum, day) =>
      sum + (name === undefined ? Object.values(day[by]).reduce((one, other) => one + other, 0) : (day[by][name] ?? 0)),
    0,
  )
