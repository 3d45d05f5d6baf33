import Box from '@mui/material/Box'
import Chip from '@mui/material/Chip'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import type { Call } from '#derive/console/answers.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { callPath } from '../paths.ts'

/** Calls as rows; the time opens one. */
export function CallTable({ calls: rows }: { calls: readonly Call[] }) {
  const { settings } = useTexts()
  const { calls } = settings
  const format = useFormat()
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Table
        aria-label={settings.sections.calls}
        sx={{ fontVariantNumeric: 'tabular-nums', '& td, & th': { whiteSpace: 'nowrap' } }}
      >
        <TableHead>
          <TableRow>
            <TableCell>{calls.time}</TableCell>
            <TableCell>{calls.status}</TableCell>
            <TableCell>{calls.route}</TableCell>
            <TableCell>{calls.code}</TableCell>
            <TableCell>{calls.marks}</TableCell>
            <TableCell align="right">{calls.duration}</TableCell>
            <TableCell>{calls.peer}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((call) => (
            <TableRow key={call.id} hover>
              <TableCell>
                <TextLink to={callPath(call.id)} aria-label={calls.open(format.exactly(call.at))}>
                  {format.exactly(call.at)}
                </TextLink>
              </TableCell>
              <TableCell sx={{ color: call.status >= 400 ? 'error.main' : undefined, fontWeight: 600 }}>
                {call.status}
              </TableCell>
              <TableCell>{call.route}</TableCell>
              <TableCell sx={{ maxWidth: 330, overflow: 'hidden', textOverflow: 'ellipsis' }}>
                {[call.code, call.about?.join(', ')].filter(Boolean).join(': ')}
              </TableCell>
              <TableCell>
                <Marks call={call} />
              </TableCell>
              <TableCell align="right">{format.number(Math.round(call.ms * 10) / 10)} ms</TableCell>
              <TableCell>{call.peer}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}

/** What is out of the ordinary about a call. A token that was good then is not marked for being gone now. */
export function Marks({ call }: { call: Call }) {
  const { calls } = useTexts().settings
  const isOld = call.code === 'unauthorized' && call.token_ended_at !== null
  const marks = [
    ...(call.dry_run ? [calls.dryRun] : []),
    ...(call.replayed ? [calls.replayed] : []),
    ...(isOld ? [calls.oldToken] : []),
  ]
  return (
    <Box component="span" sx={{ display: 'inline-flex', gap: 0.5 }}>
      {marks.map((mark) => (
        <Chip key={mark} label={mark} color={mark === calls.oldToken ? 'error' : 'default'} />
      ))}
    </Box>
  )
}
