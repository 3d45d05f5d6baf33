import Check from '@mui/icons-material/Check'
import Box from '@mui/material/Box'
import Checkbox from '@mui/material/Checkbox'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'

type ScopeMatrixProps = {
  label: string
  kinds: readonly string[]
  chosen: readonly string[]
  /** What can be ticked; everything when absent. */
  held?: ReadonlySet<string>
  isReadOnly?: boolean
  onChange?(chosen: string[]): void
}

const actions = ['VIEW', 'EDIT', 'DELETE'] as const

/** Kinds of record against what may be done with them. */
export function ScopeMatrix({ label, kinds, chosen, held, isReadOnly, onChange }: ScopeMatrixProps) {
  const { settings } = useTexts()
  const { many } = useRecordTexts()
  const words = { VIEW: settings.api.view, EDIT: settings.api.edit, DELETE: settings.api.delete }
  const codeOf = (kind: string, action: string) => `${kind.toUpperCase()}_${action}`
  const isHeld = (code: string) => held === undefined || held.has(code)
  const set = (codes: readonly string[], yes: boolean) =>
    onChange?.(yes ? [...new Set([...chosen, ...codes])] : chosen.filter((code) => !codes.includes(code)))
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Table size="small" aria-label={label} sx={{ maxWidth: 640, '& td, & th': { px: { xs: 0.75, sm: 2 } } }}>
        <TableHead>
          <TableRow>
            <TableCell>{label}</TableCell>
            {actions.map((action) => {
              const codes = kinds.map((kind) => codeOf(kind, action)).filter(isHeld)
              const ticked = codes.filter((code) => chosen.includes(code)).length
              return (
                <TableCell key={action} align="center">
                  {words[action]}
                  {!isReadOnly && (
                    <Box>
                      <Checkbox
                        size="small"
                        disabled={codes.length === 0}
                        checked={codes.length > 0 && ticked === codes.length}
                        indeterminate={ticked > 0 && ticked < codes.length}
                        onChange={({ target }) => set(codes, target.checked)}
                        slotProps={{ input: { 'aria-label': `${settings.api.all}: ${words[action]}` } }}
                      />
                    </Box>
                  )}
                </TableCell>
              )
            })}
          </TableRow>
        </TableHead>
        <TableBody>
          {kinds.map((kind) => (
            <TableRow key={kind}>
              <TableCell component="th" scope="row">
                {many(kind)}
              </TableCell>
              {actions.map((action) => {
                const code = codeOf(kind, action)
                return (
                  <TableCell key={action} align="center" title={isHeld(code) ? undefined : settings.api.notHeld}>
                    {isReadOnly ? (
                      chosen.includes(code) && <Check fontSize="small" titleAccess={words[action]} />
                    ) : (
                      <Checkbox
                        size="small"
                        sx={{ p: 0.5 }}
                        disabled={!isHeld(code)}
                        checked={chosen.includes(code)}
                        onChange={({ target }) => set([code], target.checked)}
                        slotProps={{ input: { 'aria-label': `${many(kind)}: ${words[action]}` } }}
                      />
                    )}
                  </TableCell>
                )
              })}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}
