import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { previewUndo } from '../../client/ask.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { useUndo } from '../removal/use-undo.ts'

/** Takes back a write. One that was about other records too, such as an import, is asked about first. */
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
