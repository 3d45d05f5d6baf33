import Alert from '@mui/material/Alert'
import Typography from '@mui/material/Typography'
import { useEffect, useState } from 'react'
import { useNotify } from 'react-admin'
import type { RecordDeleted } from '#derive/console/responses.ts'
import type { Definition } from '#registry/definition.ts'
import type { Preview } from '#registry/refusals.ts'
import { isRefused, previewRemoval, type RefusedError } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Note } from '../../ui/panel.tsx'
import { Trouble, WaitingNotice } from '../../ui/pending.tsx'
import { useUndo } from '../history/undo-button.tsx'
import { InvolvedList } from './involved-list.tsx'

type RemoveDialogProps = {
  definition: Definition
  id: number | string
  title: string
  onClose(): void
  onRemoved(): void
}

/** Asks before a deletion. Shows which records go, stay or block it, and the alternative. */
export function RemoveDialog({ definition, id, title, onClose, onRemoved }: RemoveDialogProps) {
  const texts = useTexts()
  const { removal } = texts
  const notify = useNotify()
  const write = useWrite()
  const undo = useUndo()
  const asked = usePreview(definition.name, id)
  const [late, setLate] = useState<typeof asked.blocked>()
  const [isBusy, setBusy] = useState(false)
  const [changed, setChanged] = useState<Preview>()
  const { preview, error } = asked
  const plan = changed ?? asked.plan
  const blocked = late ?? asked.blocked

  async function remove(): Promise<void> {
    setBusy(true)
    try {
      const { writeId } = await write('records.delete', { records: definition.name, id, plan })
      notify(removal.deleted(title), {
        type: 'success',
        ...(writeId === null ? {} : { undo: () => undo([writeId]) }),
      })
      onRemoved()
    } catch (refused) {
      // A booking may have been added since the preview.
      if (isRefused(refused, 'delete_blocked')) setLate(refused)
      else if (isRefused(refused, 'plan_changed') && refused.body.plan) setChanged(refused.body.plan)
      else notify(errorText(refused, texts), { type: 'error' })
      setBusy(false)
    }
  }

  return (
    <AskFirst
      title={blocked ? removal.blocked : removal.title(title)}
      confirm={blocked ? undefined : removal.confirm}
      isDangerous
      isBusy={isBusy}
      isDisabled={!preview}
      onConfirm={remove}
      onClose={onClose}
    >
      {error !== undefined && <Trouble error={error} />}
      {!preview && !blocked && error === undefined && <WaitingNotice />}
      {blocked && (
        <>
          <Alert severity="warning" variant="outlined">
            {blocked.body.detail}
          </Alert>
          <InvolvedList
            isLinked
            onFollow={onClose}
            title={removal.blockedBy}
            involved={blocked.body.blocked_by ?? []}
          />
        </>
      )}
      {changed && !blocked && (
        <Note severity="info" mb={1.5}>
          {removal.changed}
        </Note>
      )}
      {preview && plan && !blocked && <PlanText plan={plan} />}
    </AskFirst>
  )
}

/** Shows the effect of the deletion. Records that go along are never erased. */
function PlanText({ plan }: { plan: Preview }) {
  const { removal } = useTexts()
  const { changes, would_delete: goes, would_keep: stays } = plan
  const mode = changes.some(({ action }) => action === 'erased') ? 'hard' : 'soft'
  return (
    <>
      <Typography>{mode === 'hard' ? removal.hard : removal.soft}</Typography>
      {goes.length + stays.length === 0 && <Typography color="textSecondary">{removal.nothingElse}</Typography>}
      <InvolvedList title={removal.goes} involved={goes} />
      <InvolvedList title={removal.stays} involved={stays} />
    </>
  )
}

type State = { preview?: RecordDeleted; plan?: Preview | undefined; blocked?: RefusedError; error?: unknown }

/** Loads the preview of a deletion. */
function usePreview(resource: string, id: number | string): State {
  const [state, setState] = useState<State>({})
  useEffect(() => {
    const aborter = new AbortController()
    previewRemoval(resource, id, aborter.signal).then(
      ({ data, plan }) => setState({ preview: data, plan }),
      (error) => {
        if (aborter.signal.aborted) return
        setState(isRefused(error, 'delete_blocked') ? { blocked: error } : { error })
      },
    )
    return () => aborter.abort()
  }, [resource, id])
  return state
}
