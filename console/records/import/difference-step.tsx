import Download from '@mui/icons-material/DownloadOutlined'
import Button from '@mui/material/Button'
import { useMemo } from 'react'
import { differenceCsv, refusedCsv } from '#derive/import/report.ts'
import { countsOf } from '#derive/import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { useTexts } from '../../texts/texts.tsx'
import { RowStack } from '../../ui/layout.tsx'
import { Note } from '../../ui/panel.tsx'
import { RowList } from './row-list.tsx'
import type { ImportState } from './use-import.ts'

/** The whole difference, row by row, before anything is written. */
export function DifferenceStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const { parts, chosen } = importing
  const rows = useMemo(() => parts.flatMap((part) => part.rows), [parts])
  const { created, changed, refused } = useMemo(() => countsOf(rows), [rows])
  const writing = created + changed
  if (!chosen) return null
  const { file, name } = chosen
  const base = name.replace(/\.\w{1,10}$/, '')
  return (
    <>
      {refused > 0 && <Note severity="warning">{imports.mend}</Note>}
      {writing === 0 && <Note severity="info">{imports.nothingToDo}</Note>}
      <RowStack spacing={1} mb={2}>
        {writing > 0 && (
          <Button variant="contained" onClick={importing.apply}>
            {imports.apply(writing)}
          </Button>
        )}
        <Button onClick={importing.back}>{imports.back}</Button>
        <Button startIcon={<Download />} onClick={() => save(`${base}-difference.csv`, differenceCsv(rows))}>
          {imports.download}
        </Button>
        {refused > 0 && (
          <Button startIcon={<Download />} onClick={() => save(`${base}-refused.csv`, refusedCsv(file, rows))}>
            {imports.downloadRefused}
          </Button>
        )}
      </RowStack>
      <RowList definition={definition} rows={rows} />
    </>
  )
}

/** A file for the one who is here. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
