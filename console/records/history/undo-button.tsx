import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useNotify, useRefresh } from 'react-admin'
import { previewUndo } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'

/** Returns the function that undoes writes, the newest first. Its notice has a button that undoes the undo. */
export function useUndo() {
  const texts = useTexts()
  const write = useWrite()
  const notify = useNotify()
  const refresh = useRefresh()
  return async function undo(writeIds: readonly string[]): Promise<void> {
    const undone: string[] = []
    try {
      for (const id of writeIds.toReversed()) {
        for (let remaining = 1; remaining > 0; ) {
          const { data, writeId } = await write('writes.undo', { id })
          remaining = data.remaining
          if (writeId !== null) undone.push(writeId)
        }
      }
      notify(texts.common.undone, { type: 'success', undo: () => void undo(undone) })
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    refresh()
  }
}

/** Undoes a write. Asks first if the write changed other records too, such as an import. */
export function UndoButton({ writeId, onUndone }: { writeId: string; onUndone(): void }) {
  const texts = useTexts()
  const { common, history } = texts
  const notify = useNotify()
  const undo = useUndo()
  const [records, setRecords] = useState<number>()
  const [isBusy, setBusy] = useState(false)
  const close = (): void => setRecords(undefined)

  async function takeBack(): Promise<void> {
    close()
    await undo([writeId])
    onUndone()
  }

  async function look(): Promise<void> {
    setBusy(true)
    try {
      const { data } = await previewUndo(writeId)
      const count = data.records + data.remaining
      if (count > 1) setRecords(count)
      else await takeBack()
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    setBusy(false)
  }

  return (
    <>
      <Button size="small" loading={isBusy} onClick={look}>
        {common.undo}
      </Button>
      <AskFirst
        open={records !== undefined}
        title={history.undoTitle}
        confirm={common.undo}
        onConfirm={takeBack}
        onClose={close}
      >
        <Typography>{history.undoMany(records ?? 0)}</Typography>
      </AskFirst>
    </>
  )
}
