import { useNavigate, useNotify, useParams } from 'ra-core'
import { useState } from 'react'
import { settledFields } from '#derive/form/steps.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { listPath, pathOf } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { useUnsaved } from '../../ui/ask-first.tsx'
import { Page } from '../../ui/page.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { titleOf } from '../title.ts'
import { LockedNotice } from './locked-notice.tsx'
import { RaceDialog } from './race-dialog.tsx'
import { SaveForm, useSave } from './save-form.tsx'
import { SchemaForm } from './schema-form.tsx'
import { useRecordForm } from './use-record-form.ts'

/** Changes a record. Loads it again, with the ETag of the version that is changed. */
export function EditPage({ definition }: { definition: Definition }) {
  const { id = '' } = useParams()
  const { many } = useRecordTexts()
  const { answer, error, reload } = useLoaded('records.fetch', { records: definition.name, id })
  if (answer) return <EditForm key={id} definition={definition} id={id} record={answer.data} etag={answer.etag} />
  return (
    <Page title={many(definition.name)} above={{ label: many(definition.name), to: listPath(definition.name) }}>
      <PendingContent error={error} retry={reload} />
    </Page>
  )
}

type EditFormProps = { definition: Definition; id: string; record: JsonObject; etag: string | null }

function EditForm({ definition, id, record, etag: loadedEtag }: EditFormProps) {
  const texts = useTexts()
  const { name } = definition
  const { many } = useRecordTexts()
  const navigate = useNavigate()
  const notify = useNotify()
  const [etag, setEtag] = useState(loadedEtag)
  const [isRacing, setRacing] = useState(false)
  const form = useRecordForm(definition, record)
  const unsaved = useUnsaved(form.isDirty)
  const saving = useSave({
    form,
    id,
    etag,
    onRace: () => setRacing(true),
    onSaved: () => {
      unsaved.release()
      if (Object.keys(form.changes).length > 0) notify(texts.form.saved, { type: 'success' })
      navigate(pathOf(name, id), { replace: true })
    },
  })
  const title = titleOf(name, record)
  return (
    <Page title={texts.common.editOne(quote(title))} above={{ label: many(name), to: listPath(name) }}>
      <SaveForm form={form} saving={saving} label={texts.common.save} onCancel={() => navigate(pathOf(name, id))}>
        <LockedNotice definition={definition} record={form.before ?? record} />
        <SchemaForm form={form} settled={settledFields(definition, form.before ?? record)} />
      </SaveForm>
      {isRacing && (
        <RaceDialog
          form={form}
          id={id}
          onClose={() => setRacing(false)}
          onSettled={(stored, values, newEtag) => {
            form.restart(stored, values)
            setEtag(newEtag)
            setRacing(false)
          }}
        />
      )}
      {unsaved.question}
    </Page>
  )
}
