import Alert from '@mui/material/Alert'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import type { RecordDeleted } from '#derive/console/answers.ts'
import type { Definition } from '#registry/definition.ts'
import { ask, isRefused } from '../../client/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { InvolvedList } from './involved-list.tsx'
import { usePreview } from './use-preview.ts'
import { useRestore } from './use-restore.ts'

type RemoveDialogProps = {
  definition: Definition
  id: number | string
  title: string
  onClose(): void
  onRemoved(): void
}

/** Before a record is deleted: what goes, what stays, what is in the way and what to do instead. */
export function RemoveDialog({ definition, id, title, onClose, onRemoved }: RemoveDialogProps) {
  const texts = useTexts()
  const { removal } = texts
  const notify = useNotify()
  const restore = useRestore()
  const asked = usePreview(definition.name, id)
  const [late, setLate] = useState<typeof asked.blocked>()
  const [isBusy, setBusy] = useState(false)
  const { preview, error } = asked
  const blocked = late ?? asked.blocked

  async function remove(): Promise<void> {
    setBusy(true)
    try {
      const { data } = await ask('records.delete', { records: definition.name, id })
      notify(removal.deleted(title), {
        type: 'success',
        ...(data.mode === 'soft' ? { undo: () => restore({ resource: definition.name, id: Number(id), title }) } : {}),
      })
      onRemoved()
    } catch (refused) {
      // History may have come up since the preview.
      if (isRefused(refused, 'delete_blocked')) setLate(refused)
      else notify(errorText(refused, texts), { type: 'error' })
      setBusy(false)
    }
  }

  return (
    <AskFirst
      open
      title={blocked ? removal.blocked : removal.title(title)}
      confirm={blocked ? undefined : removal.confirm}
      isDangerous
      isBusy={isBusy}
      isDisabled={!preview}
      onConfirm={remove}
      onClose={onClose}
    >
      {error !== undefined && <Trouble error={error} />}
      {!preview && !blocked && error === undefined && <Waiting />}
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
      {preview && !blocked && <PreviewText preview={preview} />}
    </AskFirst>
  )
}

function PreviewText({ preview }: { preview: RecordDeleted }) {
  const { removal } = useTexts()
  const { would_delete: goes = [], would_keep: stays = [], mode } = preview
  return (
    <>
      <Typography>{mode === 'hard' ? removal.hard : removal.soft}</Typography>
      {goes.length + stays.length === 0 && <Typography color="textSecondary">{removal.nothingElse}</Typography>}
      <InvolvedList title={removal.goes} involved={goes} />
      <InvolvedList title={removal.stays} involved={stays} />
    </>
  )
}
