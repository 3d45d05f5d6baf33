import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { LinkBase } from 'react-admin'
import type { Definition } from '#registry/definition.ts'
import { listPath } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Buttons } from '../../ui/layout.tsx'
import { Panel, Text } from '../../ui/panel.tsx'
import type { ImportState } from './use-import.ts'

/** What was written, and the ways on: to go on, to take all of it back, to the list. */
export function ResultStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const format = useFormat()
  const { stage, done, file, counts, writeId, remaining } = importing.state
  const total = file.rows.length
  const isDone = done >= total
  const isUndone = stage === 'undone'
  const isUndoing = stage === 'undoing'
  return (
    <Panel title={imports.steps.result}>
      <Text role="status" variant="subtitle1" mb={1}>
        {isUndone
          ? imports.undone
          : isDone
            ? imports.done(format.number(counts.created), format.number(counts.changed))
            : imports.stopped(format.number(done), format.number(total))}
      </Text>
      {isDone && !isUndone && (
        <Typography color="textSecondary">{imports.left(counts.same, counts.refused)}</Typography>
      )}
      {isUndoing && remaining > 0 && <Typography aria-live="polite">{imports.undoing(remaining)}</Typography>}
      <Buttons>
        {!isDone && !isUndone && (
          <Button variant="contained" onClick={importing.apply} disabled={isUndoing}>
            {imports.goOn}
          </Button>
        )}
        <Button variant={isDone ? 'contained' : 'outlined'} component={LinkBase} to={listPath(definition.name)}>
          {imports.list}
        </Button>
        {!isUndone && writeId !== undefined && (
          <Button variant="outlined" color="error" onClick={importing.undo} loading={isUndoing}>
            {imports.undoAll}
          </Button>
        )}
      </Buttons>
    </Panel>
  )
}
