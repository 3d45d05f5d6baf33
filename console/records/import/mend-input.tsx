import TextField from '@mui/material/TextField'
import { useState } from 'react'
import type { RowOutcome } from '#derive/import/importer.ts'
import { memberOf } from '#registry/json.ts'
import { quote } from '../../texts/foreign.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { ImportState } from './use-import.ts'

/** A cell that was refused. The text that is typed is read in place of it, and its row is tried again. */
export function MendInput({ importing, row, column }: { importing: ImportState; row: RowOutcome; column: string }) {
  const { imports } = useTexts()
  const { settings, file } = importing.state
  const cell = file.rows[row.n]?.cells[file.columns.indexOf(column)] ?? ''
  const [typed, setTyped] = useState(memberOf(settings.mended?.[row.n] ?? {}, column) ?? cell)
  const [last, setLast] = useState(typed)
  const send = (): void => {
    if (typed === last) return
    setLast(typed)
    void importing.mend(row.n, column, typed)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <TextField
        size="small"
        fullWidth
        margin="dense"
        sx={{ maxWidth: 420 }}
        label={imports.mendCell(quote(column, 60), row.line)}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={send}
      />
    </form>
  )
}
