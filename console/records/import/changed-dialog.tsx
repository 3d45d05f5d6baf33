import Typography from '@mui/material/Typography'
import type { RowOutcome } from '#derive/import/importer.ts'
import type { Definition } from '#registry/definition.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { RowList } from './row-list.tsx'

type Changed = { rows: readonly RowOutcome[]; answer(goesOn: boolean): void }

/** What some rows would do by now is something else than was shown: it is shown again, and asked. */
export function ChangedDialog({ definition, changed: { rows, answer } }: { definition: Definition; changed: Changed }) {
  const { imports } = useTexts()
  return (
    <AskFirst
      wide
      title={imports.changedTitle}
      confirm={imports.changedGoOn}
      cancel={imports.stop}
      onConfirm={() => answer(true)}
      onClose={() => answer(false)}
    >
      <Typography sx={{ mb: 2 }}>{imports.changed}</Typography>
      <RowList definition={definition} rows={rows} />
    </AskFirst>
  )
}
