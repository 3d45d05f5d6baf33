import { useLocation, useNavigate, useNotify } from 'ra-core'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { listPath, pathOf } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { useUnsaved } from '../../ui/ask-first.tsx'
import { Page } from '../../ui/page.tsx'
import { SaveForm, useSave } from './save-form.tsx'
import { SchemaForm } from './schema-form.tsx'
import { useRecordForm } from './use-record-form.ts'

/** Creates a record of any resource. Another page may pass initial values. */
export function CreatePage({ definition }: { definition: Definition }) {
  const texts = useTexts()
  const { many, one, add } = useRecordTexts()
  const navigate = useNavigate()
  const notify = useNotify()
  const given = (useLocation().state as { given?: JsonObject } | null)?.given
  const form = useRecordForm(definition, null, given)
  const unsaved = useUnsaved(form.isDirty)
  const saving = useSave({
    form,
    id: null,
    onSaved: (id) => {
      unsaved.release()
      notify(texts.form.created(one(definition.name)), { type: 'success' })
      navigate(pathOf(definition.name, id), { replace: true })
    },
  })
  return (
    <Page title={add(definition.name)} above={{ label: many(definition.name), to: listPath(definition.name) }}>
      <SaveForm
        form={form}
        saving={saving}
        label={texts.common.create}
        onCancel={() => navigate(listPath(definition.name))}
      >
        <SchemaForm form={form} />
      </SaveForm>
      {unsaved.question}
    </Page>
  )
}
