import Typography from '@mui/material/Typography'
import { useEffect, useState } from 'react'
import { useNotify } from 'react-admin'
import type { Definition } from '#registry/definition.ts'
import type { Preview, RecordsSummary } from '#registry/refusals.ts'
import { isRefused, previewRemoval } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import type { Texts } from '../../texts/en/index.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Note, Text } from '../../ui/panel.tsx'
import { WaitingNotice } from '../../ui/pending.tsx'
import { useUndo } from '../history/undo-button.tsx'
import { InvolvedList } from './involved-list.tsx'

type Id = number | string
type RemoveSeveralProps = { definition: Definition; ids: readonly Id[]; onClose(): void; onDone(): void }
type PlannedRemoval = { id: Id; plan: Preview | undefined }
type RemovalPreview = {
  free: PlannedRemoval[]
  stuck: { id: Id; why: string }[]
  goes: RecordsSummary[]
  stays: RecordsSummary[]
}

/** Asks before the deletion of several records, with a common preview. Protected records stay. */
export function RemoveSeveral({ definition: { name }, ids, onClose, onDone }: RemoveSeveralProps) {
  const texts = useTexts()
  const { removal } = texts
  const notify = useNotify()
  const write = useWrite()
  const [looked, setLooked] = useState<RemovalPreview>()
  const [isBusy, setBusy] = useState(false)
  const [hasChanged, setChanged] = useState(false)
  const undo = useUndo()
  useEffect(() => {
    look(name, ids, texts).then(setLooked)
  }, [name, ids, texts])

  async function remove(): Promise<void> {
    setBusy(true)
    const free = looked?.free ?? []
    const answers = await Promise.allSettled(
      free.map(({ id, plan }) => write('records.delete', { records: name, id, plan })),
    )
    const writeIds = answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value.writeId ?? []) : []))
    if (writeIds.length > 0)
      notify(removal.severalDeleted(writeIds.length), { type: 'success', undo: () => undo(writeIds.toSorted()) })
    const changed = free.filter((_, index) => {
      const answer = answers[index]
      return answer?.status === 'rejected' && isRefused(answer.reason, 'plan_changed')
    })
    if (changed.length === 0) return onDone()
    // These records have changed since, so their preview is loaded again.
    const again = changed.map(({ id }) => id)
    setLooked(await look(name, again, texts))
    setChanged(true)
    setBusy(false)
  }

  return (
    <AskFirst
      title={removal.several(looked?.free.length ?? ids.length)}
      confirm={removal.confirm}
      isDangerous
      isBusy={isBusy}
      isDisabled={!looked || looked.free.length === 0}
      onConfirm={remove}
      onClose={onClose}
    >
      {!looked && <WaitingNotice />}
      {looked && (
        <>
          {hasChanged && (
            <Note severity="info" mb={1.5}>
              {removal.changed}
            </Note>
          )}
          <Typography>{removal.soft}</Typography>
          {looked.stuck.length > 0 && (
            <>
              <Text mt={1.5}>{removal.severalBlocked(looked.stuck.length)}</Text>
              <Bullets>
                {looked.stuck.map(({ id, why }) => (
                  <li key={id}>
                    #{id}: {why}
                  </li>
                ))}
              </Bullets>
            </>
          )}
          <InvolvedList title={removal.goes} involved={looked.goes} />
          <InvolvedList title={removal.stays} involved={looked.stays} />
        </>
      )}
    </AskFirst>
  )
}

async function look(name: string, ids: readonly Id[], texts: Texts): Promise<RemovalPreview> {
  const answers = await Promise.allSettled(ids.map((id) => previewRemoval(name, id)))
  const previews = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  return {
    free: previews.map(({ data: { id }, plan }) => ({ id, plan })),
    stuck: answers.flatMap((answer, index) =>
      answer.status === 'rejected' ? [{ id: ids[index] as Id, why: errorText(answer.reason, texts) }] : [],
    ),
    goes: mergeGroups(previews.flatMap(({ plan }) => plan?.would_delete ?? [])),
    stays: mergeGroups(previews.flatMap(({ plan }) => plan?.would_keep ?? [])),
  }
}

/** Sums the groups with the same resource and effect. */
function mergeGroups(all: readonly RecordsSummary[]): RecordsSummary[] {
  const lines = new Map<string, RecordsSummary>()
  for (const one of all) {
    const key = `${one.records} ${one.effect}`
    const line = lines.get(key)
    lines.set(key, line ? { ...line, count: line.count + one.count } : one)
  }
  return [...lines.values()]
}
