import Check from '@mui/icons-material/Check'
import Checkbox from '@mui/material/Checkbox'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableContainer from '@mui/material/TableContainer'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import { useTexts } from '../texts/texts.tsx'

type ChoiceName = { key: string; name: string }

export type ChoiceMatrixProps = {
  label: string
  rows: readonly ChoiceName[]
  columns: readonly ChoiceName[]
  codeOf(row: string, column: string): string
  chosen: readonly string[]
  /** The codes that can be ticked. All if absent. */
  held?: ReadonlySet<string>
  isReadOnly?: boolean
  onChange?(chosen: string[]): void
}

/** A matrix of codes that can be chosen. */
export function ChoiceMatrix(props: ChoiceMatrixProps) {
  const { label, rows, columns, codeOf, chosen, held, isReadOnly, onChange } = props
  const { settings } = useTexts()
  const isHeld = (code: string) => held === undefined || held.has(code)
  const set = (codes: readonly string[], yes: boolean) =>
    onChange?.(yes ? [...new Set([...chosen, ...codes])] : chosen.filter((code) => !codes.includes(code)))
  return (
    // Focusable if nothing in it is, so that the keyboard can scroll it.
    <TableContainer {...(isReadOnly ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}>
      <Table aria-label={label} sx={{ maxWidth: 640, '& td, & th': { px: { xs: 0.75, sm: 2 } } }}>
        <TableHead>
          <TableRow>
            <TableCell>{label}</TableCell>
            {columns.map((column) => {
              const codes = rows.map((row) => codeOf(row.key, column.key)).filter(isHeld)
              const ticked = codes.filter((code) => chosen.includes(code)).length
              return (
                <TableCell key={column.key} align="center">
                  {column.name}
                  {!isReadOnly && (
                    <div>
                      <Checkbox
                        size="small"
                        disabled={codes.length === 0}
                        checked={codes.length > 0 && ticked === codes.length}
                        indeterminate={ticked > 0 && ticked < codes.length}
                        onChange={({ target }) => set(codes, target.checked)}
                        slotProps={{ input: { 'aria-label': `${settings.api.all}: ${column.name}` } }}
                      />
                    </div>
                  )}
                </TableCell>
              )
            })}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <TableRow key={row.key}>
              <TableCell component="th" scope="row">
                {row.name}
              </TableCell>
              {columns.map((column) => {
                const code = codeOf(row.key, column.key)
                return (
                  <TableCell key={column.key} align="center" title={isHeld(code) ? undefined : settings.api.notHeld}>
                    {isReadOnly ? (
                      chosen.includes(code) && <Check fontSize="small" titleAccess={column.name} />
                    ) : (
                      <Checkbox
                        size="small"
                        sx={{ p: 0.5 }}
                        disabled={!isHeld(code)}
                        checked={chosen.includes(code)}
                        onChange={({ target }) => set([code], target.checked)}
                        slotProps={{ input: { 'aria-label': `${row.name}: ${column.name}` } }}
                      />
                    )}
                  </TableCell>
                )
              })}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  )
}
