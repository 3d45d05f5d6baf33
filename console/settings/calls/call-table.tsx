import Box from '@mui/material/Box'
import Chip from '@mui/material/Chip'
import Link from '@mui/material/Link'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import type { Call } from '#derive/console/answers.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Calls as rows; the time opens one. */
export function CallTable({ calls: rows, onOpen }: { calls: readonly Call[]; onOpen(id: number): void }) {
  const { settings } = useTexts()
  const { calls } = settings
  const format = useFormat()
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Table
        size="small"
        aria-label={settings.sections.calls}
        sx={{ fontVariantNumeric: 'tabular-nums', '& td, & th': { whiteSpace: 'nowrap' } }}
      >
        <TableHead>
          <TableRow>
            <TableCell>{calls.time}</TableCell>
            <TableCell>{calls.route}</TableCell>
            <TableCell>{calls.status}</TableCell>
            <TableCell>{calls.code}</TableCell>
            <TableCell align="right">{calls.duration}</TableCell>
            <TableCell>{calls.peer}</TableCell>
            <TableCell>{calls.marks}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((call) => (
            <TableRow key={call.id} hover>
              <TableCell>
                <Link
                  component="button"
                  type="button"
                  onClick={() => onOpen(call.id)}
                  aria-label={calls.open(format.exactly(call.at))}
                >
                  {format.exactly(call.at)}
                </Link>
              </TableCell>
              <TableCell>{call.route}</TableCell>
              <TableCell sx={{ color: call.status >= 400 ? 'error.main' : undefined, fontWeight: 600 }}>
                {call.status}
              </TableCell>
              <TableCell>{call.code}</TableCell>
              <TableCell align="right">{format.number(Math.round(call.ms * 10) / 10)} ms</TableCell>
              <TableCell>{call.peer}</TableCell>
              <TableCell>
                <Marks call={call} />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}

/** What is out of the ordinary about a call. */
export function Marks({ call }: { call: Call }) {
  const { calls } = useTexts().settings
  const marks = [
    ...(call.dry_run ? [calls.dryRun] : []),
    ...(call.replayed ? [calls.replayed] : []),
    ...(call.token_active ? [] : [calls.oldToken]),
  ]
  return (
    <Box component="span" sx={{ display: 'inline-flex', gap: 0.5 }}>
      {marks.map((mark) => (
        <Chip
          key={mark}
          size="small"
          variant="outlined"
          label={mark}
          color={mark === calls.oldToken ? 'warning' : 'default'}
        />
      ))}
    </Box>
  )
}
