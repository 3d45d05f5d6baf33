import { useLocation, useNavigate, useNotify } from 'ra-core'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { refusalOfOperation } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { listPath, pathOf } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { useUnsaved } from '../../ui/ask-first.tsx'
import { Page } from '../../ui/page.tsx'
import { OpenAfter } from './open-after.tsx'
import { SaveForm, useSave } from './save-form.tsx'
import { SchemaForm } from './schema-form.tsx'
import { type RecordForm, useRecordForm } from './use-record-form.ts'

/** What another page passes: initial values, and an operation of a batch that is done before the create, or neither is. */
export type CreateState = { given?: JsonObject; first?: JsonObject }

/** Creates a record of any resource. */
export function CreatePage({ definition }: { definition: Definition }) {
  const texts = useTexts()
  const { many, one, add } = useRecordTexts()
  const navigate = useNavigate()
  const notify = useNotify()
  const { given, first } = (useLocation().state ?? {}) as CreateState
  const form = useRecordForm(definition, null, given)
  const unsaved = useUnsaved(form.isDirty)
  const createBeside = useCreateBeside(form)
  const saving = useSave({
    form,
    id: null,
    ...(first && { send: (accepts) => createBeside(first, accepts) }),
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
        <OpenAfter form={form} />
      </SaveForm>
      {unsaved.question}
    </Page>
  )
}

/** Returns the function that creates the record of a form together with another operation. It returns the new id. */
function useCreateBeside(form: RecordForm) {
  const write = useWrite()
  return async (first: JsonObject, accepts: readonly string[]): Promise<number> => {
    const operations = [first, { op: 'create', body: form.changes }]
    try {
      const { data } = await write('records.batch', { records: form.definition.name, body: { operations }, accepts })
      return data.operations[1]?.data.id as number
    } catch (error) {
      throw refusalOfOperation(error)
    }
  }
}
