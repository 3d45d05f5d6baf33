import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { LinkBase, useRefresh } from 'react-admin'
import { countsOf } from '#derive/import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { useWrite } from '../../client/use-write.ts'
import { listPath } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Buttons } from '../../ui/layout.tsx'
import { Note, Panel, Text } from '../../ui/panel.tsx'
import type { ImportState } from './use-import.ts'

/** What was written, and the ways on: to go on, to take all of it back, to the list. */
export function ResultStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const format = useFormat()
  const { stage, done, chosen, parts, writeId } = importing
  const undoing = useUndoing(writeId)
  const counts = countsOf(parts.flatMap((part) => part.rows))
  const total = chosen?.file.rows.length ?? 0
  const isDone = stage === 'done'
  return (
    <Panel title={imports.steps.result}>
      <Text role="status" variant="subtitle1" mb={1}>
        {undoing.isUndone
          ? imports.undone
          : isDone
            ? imports.done(format.number(counts.created), format.number(counts.changed))
            : imports.stopped(format.number(done), format.number(total))}
      </Text>
      {isDone && !undoing.isUndone && (
        <Typography color="textSecondary">{imports.left(counts.same, counts.refused)}</Typography>
      )}
      {undoing.remaining !== undefined && (
        <Typography aria-live="polite">{imports.undoing(undoing.remaining)}</Typography>
      )}
      {undoing.error !== undefined && (
        <Note severity="error" mt={2}>
          {undoing.error}
        </Note>
      )}
      <Buttons>
        {!isDone && !undoing.isUndone && (
          <Button variant="contained" onClick={importing.apply} disabled={undoing.isBusy}>
            {imports.goOn}
          </Button>
        )}
        <Button variant={isDone ? 'contained' : 'outlined'} component={LinkBase} to={listPath(definition.name)}>
          {imports.list}
        </Button>
        {!undoing.isUndone && writeId !== undefined && (
          <Button variant="outlined" color="error" onClick={undoing.undo} loading={undoing.isBusy}>
            {imports.undoAll}
          </Button>
        )}
      </Buttons>
    </Panel>
  )
}

/** Takes the import back, part by part. */
function useUndoing(writeId: string | undefined) {
  const texts = useTexts()
  const write = useWrite()
  const refresh = useRefresh()
  const [remaining, setRemaining] = useState<number>()
  const [isUndone, setUndone] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  async function undo(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      for (let left = 1; left > 0; ) {
        left = (await write('writes.undo', { id: writeId as string })).data.remaining
        setRemaining(left > 0 ? left : undefined)
      }
      setUndone(true)
    } catch (refused) {
      setRemaining(undefined)
      setError(errorText(refused, texts))
    }
    setBusy(false)
    refresh()
  }
  return { undo, remaining, isUndone, isBusy, error }
}
