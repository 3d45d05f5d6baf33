import Chip from '@mui/material/Chip'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import type { ReactNode } from 'react'
import type { Call } from '../../client/answers.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { callPath } from '../paths.ts'

/** Calls as rows; the time opens one. */
export function CallTable({ calls: rows }: { calls: readonly Call[] }) {
  const { settings } = useTexts()
  const { calls } = settings
  const format = useFormat()
  return (
    <DataTable
      isLog
      label={settings.sections.calls}
      items={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: calls.time,
          cell: ({ id, at }) => (
            <TextLink to={callPath(id)} aria-label={calls.open(format.exactly(at))}>
              {format.exactly(at)}
            </TextLink>
          ),
        },
        { title: calls.status, cell: ({ status }) => <TellingFields isBad={status >= 400}>{status}</TellingFields> },
        { title: calls.route, cell: ({ route }) => route },
        {
          title: calls.code,
          cell: ({ code, about }) => (
            <Typography noWrap variant="body2" sx={{ maxWidth: 298 }}>
              {[code, about?.map((name) => quote(name, 80)).join(', ')].filter(Boolean).join(': ')}
            </Typography>
          ),
        },
        { title: calls.marks, cell: (call) => <Marks call={call} /> },
        { title: calls.duration, align: 'right', cell: ({ ms }) => `${format.number(Math.round(ms * 10) / 10)} ms` },
        { title: calls.peer, cell: ({ peer }) => peer && <Foreign text={peer} /> },
      ]}
    />
  )
}

/** Shows an outcome, in red if it is a failure. */
export const TellingFields = ({ isBad, children }: { isBad: boolean; children: ReactNode }) => (
  <Typography component="span" variant="subtitle2" color={isBad ? 'error' : undefined}>
    {children}
  </Typography>
)

/** Marks the unusual about a call. A token that was valid then and has been revoked since gets no mark. */
export function Marks({ call }: { call: Call }) {
  const { outcomes, oldToken } = useTexts().settings.calls
  const isOld = call.code === 'unauthorized' && call.token_ended_at !== null
  const marks = [call.dry_run && outcomes.dry_run, call.replayed && outcomes.replayed, isOld && oldToken]
  return (
    <Stack component="span" direction="row" spacing={0.5}>
      {marks
        .filter((mark) => mark !== false)
        .map((mark) => (
          <Chip key={mark} label={mark} color={mark === oldToken ? 'error' : 'default'} />
        ))}
    </Stack>
  )
}
