import { useRefresh } from 'ra-core'
import { useLoaded } from '../../client/use-loaded.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormDialog, useSmallForm } from '../../ui/small-form.tsx'
import { useSending } from './use-sending.tsx'

type MarkSentProps = { records: string; id: number; onSent(): Promise<unknown>; onClose(): void }

/** Asks how and when a paper was sent, and notes it of the record as it was when the question opened. */
export function MarkSentDialog({ records, id, onSent, onClose }: MarkSentProps) {
  const { papers } = useTexts()
  const refresh = useRefresh()
  const { sending, inputs } = useSending()
  const { answer } = useLoaded('records.fetch', { records, id })
  const form = useSmallForm(async ({ write, say }) => {
    const etag = answer?.etag
    await write('records.send-paper', { records, id, body: { ...sending, ...(etag ? { if_match: etag } : {}) } })
    await onSent()
    refresh()
    say(papers.marked)
  })
  return (
    <FormDialog form={form} title={papers.markSent} confirm={papers.markSent} isDisabled={!answer} onClose={onClose}>
      {inputs((field) => form.wrong(field))}
    </FormDialog>
  )
}
