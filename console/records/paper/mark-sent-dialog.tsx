import { useRefresh } from 'ra-core'
import { useState } from 'react'
import { type PaperRoad, paperRoads } from '#derive/paper-content.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FormDialog, Select, SmallField, useSmallForm } from '../../ui/small-form.tsx'

type MarkSentProps = { records: string; id: number; onSent(): Promise<unknown>; onClose(): void }

/** Asks how and when a paper was sent, and notes it of the record as it was when the question opened. */
export function MarkSentDialog({ records, id, onSent, onClose }: MarkSentProps) {
  const { papers } = useTexts()
  const { today } = useMe()
  const refresh = useRefresh()
  const [by, setBy] = useState<PaperRoad>('EMAIL')
  const [on, setOn] = useState(today)
  const { answer } = useLoaded('records.fetch', { records, id })
  const form = useSmallForm(async ({ write, say }) => {
    const etag = answer?.etag
    await write('records.send-paper', { records, id, body: { by, on, ...(etag ? { if_match: etag } : {}) } })
    await onSent()
    refresh()
    say(papers.marked)
  })
  return (
    <FormDialog form={form} title={papers.markSent} confirm={papers.markSent} isDisabled={!answer} onClose={onClose}>
      <Select
        label={papers.by}
        value={by}
        options={paperRoads.map((road) => ({ value: road, text: papers.roads[road] }))}
        onChange={(road) => setBy(road)}
      />
      <SmallField
        type="date"
        label={papers.on}
        slotProps={{ inputLabel: { shrink: true } }}
        {...form.bindField('on', on, setOn)}
      />
    </FormDialog>
  )
}
