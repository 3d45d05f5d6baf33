import { useState } from 'react'
import { useNavigate, useNotify, useParams } from 'react-admin'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { SignInAgain } from '../../sign-in/sign-in-again.tsx'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Page } from '../../ui/page.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { listPath, pathOf } from '../paths.ts'
import { titleOf } from '../title.ts'
import { RaceDialog } from './race-dialog.tsx'
import { SaveBar } from './save-bar.tsx'
import { SchemaForm } from './schema-form.tsx'
import { useUnsaved } from './unsaved.tsx'
import { useRecordForm } from './use-record-form.ts'
import { useSave } from './use-save.ts'

/** Changes a record. It is loaded afresh, with the tag that says which version is being changed. */
export function EditPage({ definition }: { definition: Definition }) {
  const { id = '' } = useParams()
  const { many } = useRecordTexts()
  const { answer, error, reload } = useLoaded('records.fetch', { records: definition.name, id })
  if (answer) return <EditForm key={id} definition={definition} id={id} record={answer.data} etag={answer.etag} />
  return (
    <Page title={many(definition.name)} above={{ label: many(definition.name), to: listPath(definition.name) }}>
      {error ? <Trouble error={error} retry={reload} /> : <Waiting />}
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
  const { save, isBusy, hasEnded, resume } = useSave({
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
    <Page title={texts.form.editTitle(title)} above={{ label: many(name), to: listPath(name) }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <SchemaForm form={form} />
        <SaveBar
          resource={name}
          label={texts.common.save}
          problems={form.problems}
          isBusy={isBusy}
          onCancel={() => navigate(pathOf(name, id))}
        />
      </form>
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
      <SignInAgain open={hasEnded} onDone={resume} />
    </Page>
  )
}
